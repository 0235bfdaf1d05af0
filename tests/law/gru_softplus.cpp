// SPDX-License-Identifier: BSL-1.0
#include "laws.hpp"

TEST_CASE_TEMPLATE("gru softplus: laws of gru with softplus", Subject,
                   support::planned<support::softplus_gru>, support::reference<support::softplus_gru>) {
    laws::every_law<Subject>();
}
TEST_CASE("gru with softplus: the lowerings agree in double") {
    support::lowerings_agree<support::softplus_gru, double>();
}
