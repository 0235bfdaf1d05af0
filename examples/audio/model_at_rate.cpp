// SPDX-License-Identifier: BSL-1.0
#include "model_at_rate.hpp"

#include <cstddef>
#include <sluice/cell/adapt/resampled.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/model/model_of_net.hpp>
#include <sluice/model/pointwise_layers.hpp>
#include <sluice/model/read_model.hpp>
#include <sluice/xtensor/step.hpp>
#include <string>
#include <utility>

namespace audio {

namespace {

constexpr int taps = 5; // 192 kHz is 4.4 times 44.1 kHz

// Structs of their own, whose names the layers below have.
struct lstm_between_steps : sluice::resampled<sluice::lstm, taps> {};
struct gru_between_steps : sluice::resampled<sluice::cudnn_gru, taps> {};

} // namespace

sluice::model<float> resampled_model(sluice::described_model from, double rate) {
    constexpr int cubic = 3;
    auto const all = sluice::lagrange_taps<std::size_t{taps}>(rate / from.sample_rate, cubic);
    for (std::size_t k = 0; k < all.size(); ++k)
        from.numbers.given.emplace_back("tap_" + std::to_string(k + 1), all[k]);
    for (sluice::described_layer& one : from.layers)
        if (one.layer.cell == "lstm")
            one.layer.cell = "lstm_between_steps";
        else if (one.layer.cell == "cudnn_gru")
            one.layer.cell = "gru_between_steps";
    return sluice::make_model(
        from, sluice::model_cells<float, lstm_between_steps, gru_between_steps, sluice::dense,
                                  sluice::tanh_layer, sluice::sigmoid_layer, sluice::relu_layer,
                                  sluice::elu_layer, sluice::softmax_layer, sluice::prelu_layer>());
}

sluice::model<float> read_model_at_rate(std::filesystem::path const& path, double rate, double learned) {
    sluice::described_model described = sluice::read_model_description(path);
    if (learned > 0)
        described.sample_rate = learned;
    if (described.sample_rate > 0 && described.sample_rate != rate)
        return resampled_model(std::move(described), rate);
    return sluice::compiled_cells<float>().make(described);
}

} // namespace audio
