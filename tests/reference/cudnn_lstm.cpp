// SPDX-License-Identifier: BSL-1.0
#include <reference/cudnn.hpp>
#include <sluice/cells/canonical_cells.hpp>

TEST_CASE_TEMPLATE("recorded: cuDNN's LSTM", S, double, float) {
    cudnn_recorded::all_agree<sluice::canonical_lstm, S>("lstm", "ifco");
}
