// SPDX-License-Identifier: BSL-1.0
// What tests of models of files share: the cells that such models have, and where the files lie
// (tests/reference/make_audio.py).
#pragma once

#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/model/model_cell.hpp>
#include <sluice/model/pointwise_layers.hpp>
#include <sluice/xtensor.hpp>
#include <string>

namespace audio_cells {

inline auto const& known() {
    static auto const all =
        sluice::model_cells<float, sluice::lstm, sluice::cudnn_gru, sluice::dense, sluice::tanh_layer,
                            sluice::sigmoid_layer, sluice::relu_layer, sluice::elu_layer,
                            sluice::softmax_layer, sluice::prelu_layer>();
    return all;
}

inline std::string path_of(std::string const& name) {
    return std::string(SLUICE_RECORDINGS) + "/audio/" + name;
}

} // namespace audio_cells
