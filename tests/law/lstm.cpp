// SPDX-License-Identifier: BSL-1.0
#include "laws.hpp"

TEST_CASE_TEMPLATE("lstm: laws of lstm", Subject, support::planned<support::lstm>,
                   support::reference<support::lstm>) {
    laws::every_law<Subject>();
}
TEST_CASE("lstm: the lowerings agree in double") {
    support::lowerings_agree<support::lstm, double>();
}
