// SPDX-License-Identifier: BSL-1.0
// What holds for every cell, in the lowering whose kernels are for this machine.
#include <law/laws.hpp>
#include <sequence/stream_check.hpp>
#include <sluice/cells/mlstm.hpp>

namespace arm_test {

using support::planned;
using mlstm = support::sized<sluice::mlstm, sluice::sizes{.input = 3, .units = 6, .groups = 2}>;

TEST_CASE_TEMPLATE("arm: every law holds", Subject, planned<support::gru>, planned<support::gru, float>,
                   planned<support::lstm>, planned<support::lstm, float>, planned<support::glstm>,
                   planned<support::glstm, float>, planned<support::mgu>, planned<support::mgu, float>,
                   planned<mlstm>, planned<mlstm, float>) {
    laws::every_law<Subject>();
}
TEST_CASE_TEMPLATE("arm: a stream steps as the cell runs over a sequence", Subject, planned<support::gru>,
                   planned<support::gru, float>, planned<support::lstm>, planned<support::lstm, float>,
                   planned<support::glstm>, planned<support::glstm, float>, planned<support::mgu>,
                   planned<support::mgu, float>, planned<mlstm>, planned<mlstm, float>) {
    stream::check(Subject::make());
}

} // namespace arm_test
