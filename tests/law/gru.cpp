// SPDX-License-Identifier: BSL-1.0
// Gated recurrent units.
#include "laws.hpp"

namespace gru_test {

using support::planned, support::reference;

TEST_CASE_TEMPLATE("gru: every law holds", Subject, planned<support::gru>, reference<support::gru>,
                   planned<support::gru, float>, planned<support::relu_gru>, reference<support::relu_gru>,
                   planned<support::softplus_gru>, reference<support::softplus_gru>,
                   planned<support::cudnn_gru>, reference<support::cudnn_gru>,
                   planned<support::cudnn_gru, float>, planned<support::mgu>, reference<support::mgu>) {
    laws::every_law<Subject>();
}
TEST_CASE_TEMPLATE("gru: the lowerings agree in double", Cell, support::gru, support::relu_gru,
                   support::softplus_gru, support::cudnn_gru, support::mgu) {
    support::lowerings_agree<Cell, double>();
}

} // namespace gru_test
