// SPDX-License-Identifier: BSL-1.0
// lstm reads the layers of cuDNN's LSTM, and gives the same numbers.
#include <sequence/cudnn_cells.hpp>
#include <sluice/cells/lstm.hpp>

namespace cudnn_cells_lstm_test {

using namespace cudnn_test;

TEST_CASE_TEMPLATE("cudnn cells: lstm and the layers of CudnnLSTM", S, float, double) {
    double const rounding = std::is_same_v<S, float> ? 1e-6 : 1e-14;
    cells_read_layers<sluice::cudnn_lstm_layers<S>, sluice::lstm>(rounding);
    layers_read_cells<sluice::cudnn_lstm_layers<S>, sluice::lstm>(rounding);
}

TEST_CASE("cudnn cells: the forget bias of an lstm goes into b_f, and comes back as 0") {
    sluice::cudnn_lstm_layers<double> net({.num_units = 2, .input_size = 3});
    auto saved = net.saved();
    sluice::cell<sluice::lstm, double> cell({.input = 3, .units = 2}, {}, {{"forget_bias", 0.75}});
    support::randomize(cell);
    auto const b_f = cell.parameters()["b_f"_s];
    saved.read_from(cell, 0);
    auto const& bias = saved.tensors()[1].values; // i, c, f, o
    CHECK(bias[4] == b_f(0) + 0.75);
    CHECK(bias[5] == b_f(1) + 0.75);
    CHECK(bias[2] == cell.parameters()["b_j"_s](0));
    CHECK(bias[6] == cell.parameters()["b_o"_s](0));
    saved.read_into(cell, 0);
    CHECK(cell.setting("forget_bias"_s) == 0);
    CHECK(cell.parameters()["b_f"_s](1) == bias[5]);
}

} // namespace cudnn_cells_lstm_test
