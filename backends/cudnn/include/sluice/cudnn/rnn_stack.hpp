// SPDX-License-Identifier: BSL-1.0
// A whole stack as one engine: one call of cuDNN's RNN for all layers and directions, with dropout between
// them and rows of different lengths. Where the parameters are cuDNN's own, the stack's array is the weight
// space as it lies.
//
// cuDNN has no reversed direction: every layer of a reversed stack reads the steps of a row from the last to
// the first, so a net turns the sequence round on its way in and on its way out.
//
// The masks of dropout are cuDNN's: they follow from the seed of the stack and the number of the draw, on one
// kind of device, and are others than those of the CPU.
#pragma once

#include <memory>
#include <sluice/cudnn/sent_engine.hpp>
#include <sluice/cudnn/stack_cells.hpp>
#include <sluice/net/whole_stack.hpp>
#include <span>
#include <string>
#include <utility>

namespace sluice::cudnn {

template <rnn_options Options, class Kernels, class S, class State, class... Pages>
struct rnn_stack_engine {
    using cells = stack_cells<S, State, Pages...>;
    using view = stack_view<S>;

    static std::string why_not(stack_options const& how, std::span<sizes const> of_each_layer) {
        return cells::why_not(how, of_each_layer);
    }
    static std::uint64_t seed_of(stack_options const& how, std::uint64_t draw) {
        return random_stream(seed{random_stream(how.dropout_seed, "dropout of cuDNN")() + draw})();
    }
    static rnn_shape shape(view const& net) { return cells::shape_of(net.options, net.of_each_layer); }

    /// Between addresses of the host.
    static std::shared_ptr<engine<S, Kernels>> make(view const& net, State const& without_rows) {
        rnn_shape const mine = shape(net);
        sent_widths widths{.inputs = {mine.input}, .output = mine.output()};
        for_each_parameter(without_rows, [&](auto, auto const& state) {
            widths.states.push_back(state.shape()[0] * state.shape()[2]);
        });
        return std::make_shared<sent_engine<S, Kernels>>(
            std::move(widths), net.parameters.places(),
            [&](std::span<tensor_place const>, std::size_t) { return make_engine(net, without_rows); });
    }
    /// Between those of the device.
    static std::shared_ptr<engine<S, Kernels>> make_engine(view const& net, State const& without_rows) {
        rnn_shape const mine = shape(net);
        weight_layout const layout = layout_of(mine);
        return std::make_shared<network_engine<S, Kernels>>(
            mine, rnn_network(rnn_numbers_of<S>::value, Options),
            weight_map<S>(cells::blocks(net, layout), layout.size, net.parameters.values().size()),
            network_states{cells::places_of(without_rows, cells::hidden),
                           cells::places_of(without_rows, cells::inner)});
    }
};

} // namespace sluice::cudnn
