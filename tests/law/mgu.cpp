// SPDX-License-Identifier: BSL-1.0
#include "laws.hpp"

TEST_CASE_TEMPLATE("mgu: laws of mgu", Subject, support::planned<support::mgu>,
                   support::reference<support::mgu>) {
    laws::every_law<Subject>();
}
TEST_CASE("mgu: the lowerings agree in double") {
    support::lowerings_agree<support::mgu, double>();
}
