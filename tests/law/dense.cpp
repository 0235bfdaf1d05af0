// SPDX-License-Identifier: BSL-1.0
#include "laws.hpp"

TEST_CASE_TEMPLATE("dense: laws of dense", Subject, support::planned<support::dense>,
                   support::reference<support::dense>, support::planned<support::dense, float>) {
    laws::every_law<Subject>();
}
TEST_CASE("dense: the lowerings agree in double") {
    support::lowerings_agree<support::dense, double>();
}
