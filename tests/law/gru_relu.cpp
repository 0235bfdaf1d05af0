// SPDX-License-Identifier: BSL-1.0
#include "laws.hpp"

TEST_CASE_TEMPLATE("gru relu: laws of gru with relu", Subject, support::planned<support::relu_gru>,
                   support::reference<support::relu_gru>) {
    laws::every_law<Subject>();
}
TEST_CASE("gru with relu: the lowerings agree in double") {
    support::lowerings_agree<support::relu_gru, double>();
}
