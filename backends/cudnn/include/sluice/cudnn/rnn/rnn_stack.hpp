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
#include <sluice/cudnn/rnn/sent_engine.hpp>
#include <sluice/cudnn/rnn/stack_cells.hpp>
#include <sluice/net/host_memory.hpp>
#include <sluice/net/net.hpp>
#include <sluice/net/stack_options.hpp>
#include <span>
#include <string>
#include <utility>

namespace sluice::cudnn {

template <rnn_options Options, class Kernels, class S, class... Pages>
struct rnn_stack_engine {
    using cells = stack_cells<S, Pages...>;
    using net_type = net<host_memory<S, Kernels>>;

    static std::string why_not(stack_options const& how, net_type const& net) {
        return cells::why_not(how, net);
    }
    static std::uint64_t seed_of(stack_options const& how, std::uint64_t draw) {
        return random_stream(seed{random_stream(how.dropout_seed, "dropout of cuDNN")() + draw})();
    }
    static rnn_shape shape(stack_options const& how, net_type const& net) {
        return cells::shape_of(how, net);
    }

    /// Between addresses of the host.
    static std::shared_ptr<engine<S, Kernels>> make(stack_options const& how, net_type const& net) {
        rnn_shape const mine = shape(how, net);
        sent_widths widths{.inputs = {mine.input}, .output = mine.output()};
        for (net_state_place const& state : net.places)
            widths.states.push_back(state.rows * state.width);
        return std::make_shared<sent_engine<S, Kernels>>(
            std::move(widths), net.parameters,
            [&](std::span<tensor_place const>, std::size_t) { return make_engine(how, net); });
    }
    /// Between those of the device.
    static std::shared_ptr<engine<S, Kernels>> make_engine(stack_options const& how, net_type const& net) {
        rnn_shape const mine = shape(how, net);
        weight_layout const layout = layout_of(mine);
        std::size_t numbers = 0;
        for (tensor_place const& place : net.parameters)
            numbers += place.count();
        return std::make_shared<network_engine<S, Kernels>>(
            mine, rnn_network(rnn_numbers_of<S>::value, Options),
            weight_map<S>(cells::blocks(net, layout), layout.size, numbers), cells::states_of(net));
    }
};

} // namespace sluice::cudnn
