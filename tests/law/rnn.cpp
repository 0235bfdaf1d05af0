// SPDX-License-Identifier: BSL-1.0
// Cells without gates, a layer without a state, and a cell of a user with a peephole and two widths.
#include "laws.hpp"

namespace rnn_test {

using support::planned, support::reference;

TEST_CASE_TEMPLATE("rnn: every law holds", Subject, planned<support::tanh_rnn>, reference<support::tanh_rnn>,
                   planned<support::tanh_rnn, float>, planned<support::relu_rnn>,
                   reference<support::relu_rnn>, planned<support::dense>, reference<support::dense>,
                   planned<support::dense, float>, planned<support::traced>, reference<support::traced>,
                   planned<support::traced, float>) {
    laws::every_law<Subject>();
}
TEST_CASE_TEMPLATE("rnn: the lowerings agree in double", Cell, support::tanh_rnn, support::relu_rnn,
                   support::dense, support::traced) {
    support::lowerings_agree<Cell, double>();
}

} // namespace rnn_test
