// SPDX-License-Identifier: BSL-1.0
#include "compiled_cells.hpp"

#include <sluice/cells/gru.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/model/model_of_net.hpp>
#include <sluice/model/pointwise_layers.hpp>
#include <sluice/model/read_model.hpp>

namespace sluice {

template <>
cell_list<float> compiled_cells<float>() {
    static auto const all = [] {
        auto cells = model_cells<float, gru, tanh_rnn, relu_rnn, tanh_layer, sigmoid_layer, relu_layer,
                                 elu_layer, softmax_layer, prelu_layer>();
        cells.insert(cells.begin(), {compiled_models::lstm_cell(), compiled_models::gru_cell(),
                                     compiled_models::dense_cell()});
        return make_cell_list(std::move(cells));
    }();
    return all;
}

} // namespace sluice
