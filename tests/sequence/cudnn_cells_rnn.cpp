// SPDX-License-Identifier: BSL-1.0
// tanh_rnn and relu_rnn read the layers of cuDNN's RNN, and give the same numbers.
#include <sequence/cudnn_cells.hpp>
#include <sluice/cells/rnn.hpp>

namespace cudnn_cells_rnn_test {

using namespace cudnn_test;

TEST_CASE("cudnn cells: tanh_rnn and relu_rnn and the layers of CudnnRNNTanh and CudnnRNNRelu") {
    cells_read_layers<sluice::cudnn_tanh_rnn_layers<double>, sluice::tanh_rnn>(1e-14);
    layers_read_cells<sluice::cudnn_tanh_rnn_layers<double>, sluice::tanh_rnn>(1e-14);
    cells_read_layers<sluice::cudnn_relu_rnn_layers<double>, sluice::relu_rnn>(1e-14);
    layers_read_cells<sluice::cudnn_relu_rnn_layers<double>, sluice::relu_rnn>(1e-14);
}

TEST_CASE("cudnn cells: the same names are no reason to read a layer of tanh into a cell of relu") {
    sluice::cudnn_tanh_rnn_layers<double> net({.num_units = 2, .input_size = 3});
    auto saved = net.saved();
    sluice::cell<sluice::relu_rnn, double> cell({.input = 3, .units = 2});
    support::randomize(cell);
    auto const was = cell.parameters();
    CHECK(says(refused([&] { saved.read_into(cell, 0); }),
               {"expects a cell of RNN", "tanh(", "but it is of", "relu("}));
    CHECK(says(refused([&] { saved.read_from(cell, 0); }), {"tanh(", "relu("}));
    CHECK(support::same_map(cell.parameters(), was));
}

} // namespace cudnn_cells_rnn_test
