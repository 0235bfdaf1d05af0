// SPDX-License-Identifier: BSL-1.0
#include "compiled_cells.hpp"

#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/model/model_of_net.hpp>
#include <sluice/model/pointwise_layers.hpp>
#include <sluice/model/read_model.hpp>

namespace sluice {

template <>
cell_list<double> compiled_cells<double>() {
    static auto const all =
        make_cell_list(model_cells<double, lstm, cudnn_gru, dense, gru, tanh_rnn, relu_rnn, tanh_layer,
                                   sigmoid_layer, relu_layer, elu_layer, softmax_layer, prelu_layer>());
    return all;
}

} // namespace sluice
