// SPDX-License-Identifier: BSL-1.0
#include "laws.hpp"

TEST_CASE_TEMPLATE("traced: laws of a user's cell with a peephole and two widths", Subject,
                   support::planned<support::traced>, support::reference<support::traced>,
                   support::planned<support::traced, float>) {
    laws::every_law<Subject>();
}
TEST_CASE("traced: a user's cell with a peephole and two widths: the lowerings agree in double") {
    support::lowerings_agree<support::traced, double>();
}
