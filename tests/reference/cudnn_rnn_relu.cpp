// SPDX-License-Identifier: BSL-1.0
#include <reference/cudnn.hpp>
#include <sluice/cells/canonical_cells.hpp>

TEST_CASE_TEMPLATE("recorded: cuDNN's RNN, relu", S, double, float) {
    cudnn_recorded::all_agree<sluice::canonical_relu_rnn, S>("rnn_relu", "h");
}
