// SPDX-License-Identifier: BSL-1.0
#include "laws.hpp"

TEST_CASE_TEMPLATE("lstm projected: laws of projected lstm", Subject,
                   support::planned<support::projected_lstm>, support::reference<support::projected_lstm>) {
    laws::every_law<Subject>();
}
TEST_CASE("projected lstm: the lowerings agree in double") {
    support::lowerings_agree<support::projected_lstm, double>();
}
