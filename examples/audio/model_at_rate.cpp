// SPDX-License-Identifier: BSL-1.0
#include "model_at_rate.hpp"

#include <algorithm>
#include <audio_cells.hpp>
#include <cstddef>
#include <sluice/cells/dense.hpp>
#include <sluice/model/model_of_net.hpp>
#include <sluice/model/pointwise_layers.hpp>
#include <sluice/model/read_model.hpp>
#include <sluice/xtensor/step.hpp>
#include <string>
#include <utility>

namespace audio {

namespace {

/// These, and layers without time.
template <class... Pages>
sluice::cell_list<float> list_of() {
    using namespace sluice;
    return make_cell_list(model_cells<float, Pages..., dense, tanh_layer, sigmoid_layer, relu_layer,
                                      elu_layer, softmax_layer, prelu_layer>());
}
sluice::cell_list<float> const& cells_of_steps() {
    static auto const all = with_cells([]<class... Pages>() { return list_of<Pages...>(); });
    return all;
}
sluice::cell_list<float> const& cells_between_steps() {
    static auto const all = with_resampled_cells([]<class... Pages>() { return list_of<Pages...>(); });
    return all;
}

/// Those of the library where it has all, because they are quicker.
sluice::model<float> make(sluice::described_model const& from) {
    auto const known = sluice::compiled_cells<float>().names();
    bool const has_all = std::ranges::all_of(from.layers, [&](sluice::described_layer const& one) {
        return std::ranges::find(known, one.layer.cell) != known.end();
    });
    return (has_all ? sluice::compiled_cells<float>() : cells_of_steps()).make(from);
}

} // namespace

sluice::model<float> resampled_model(sluice::described_model from, double rate) {
    make(from); // which looks at its equations: resampled ones are others
    for (sluice::described_layer& one : from.layers)
        one.equations.clear();
    constexpr int cubic = 3;
    auto const all = sluice::lagrange_taps<std::size_t{taps}>(rate / from.sample_rate, cubic);
    for (std::size_t k = 0; k < all.size(); ++k)
        from.numbers.given.emplace_back("tap_" + std::to_string(k + 1), all[k]);
    return cells_between_steps().make(from);
}

sluice::model<float> read_model_at_rate(std::filesystem::path const& path, double rate, double learned) {
    sluice::described_model described = sluice::read_model_description(path, {}, cells_of_steps().names());
    if (learned > 0)
        described.sample_rate = learned;
    if (described.sample_rate > 0 && described.sample_rate != rate)
        return resampled_model(std::move(described), rate);
    return make(described);
}

} // namespace audio
