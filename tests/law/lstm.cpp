// SPDX-License-Identifier: BSL-1.0
// Cells of two states.
#include "laws.hpp"

namespace lstm_test {

using support::planned, support::reference;

TEST_CASE_TEMPLATE("lstm: every law holds", Subject, planned<support::lstm>, reference<support::lstm>,
                   planned<support::peephole_lstm>, reference<support::peephole_lstm>,
                   planned<support::projected_lstm>, reference<support::projected_lstm>,
                   planned<support::full_lstm>, reference<support::full_lstm>,
                   planned<support::full_lstm, float>, planned<support::canonical_projected_lstm>,
                   reference<support::canonical_projected_lstm>) {
    laws::every_law<Subject>();
}
TEST_CASE_TEMPLATE("lstm: the lowerings agree in double", Cell, support::lstm, support::peephole_lstm,
                   support::projected_lstm, support::full_lstm, support::canonical_projected_lstm) {
    support::lowerings_agree<Cell, double>();
}

} // namespace lstm_test
