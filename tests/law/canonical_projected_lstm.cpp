// SPDX-License-Identifier: BSL-1.0
#include "laws.hpp"

TEST_CASE_TEMPLATE("canonical projected lstm: laws of canonical_projected_lstm", Subject,
                   support::planned<support::canonical_projected_lstm>,
                   support::reference<support::canonical_projected_lstm>) {
    laws::every_law<Subject>();
}
TEST_CASE("canonical_projected_lstm: the lowerings agree in double") {
    support::lowerings_agree<support::canonical_projected_lstm, double>();
}
