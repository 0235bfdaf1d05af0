// SPDX-License-Identifier: BSL-1.0
#include "laws.hpp"

TEST_CASE_TEMPLATE("lstm peephole: laws of lstm with peepholes", Subject,
                   support::planned<support::peephole_lstm>, support::reference<support::peephole_lstm>) {
    laws::every_law<Subject>();
}
TEST_CASE("lstm with peepholes: the lowerings agree in double") {
    support::lowerings_agree<support::peephole_lstm, double>();
}
