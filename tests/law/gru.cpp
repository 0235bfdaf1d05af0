// SPDX-License-Identifier: BSL-1.0
#include "laws.hpp"

TEST_CASE_TEMPLATE("gru: laws of gru", Subject, support::planned<support::gru>,
                   support::reference<support::gru>, support::planned<support::gru, float>) {
    laws::every_law<Subject>();
}
TEST_CASE("gru: the lowerings agree in double") {
    support::lowerings_agree<support::gru, double>();
}
