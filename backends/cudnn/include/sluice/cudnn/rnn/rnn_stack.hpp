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

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <sluice/cudnn/rnn/rnn_cell.hpp>
#include <sluice/cudnn/rnn/sent_engine.hpp>
#include <sluice/net/host_memory.hpp>
#include <sluice/net/net.hpp>
#include <sluice/net/stack_options.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice::cudnn {

/// The layers of a net as cuDNN counts them: whether they are one network of its cells, and how their
/// parameters and states become its weights and states. `Net` is a net (net/net.hpp); each of its cells has
/// the number of its page.
template <class S, class... Pages>
class stack_cells {
    static constexpr std::size_t count = sizeof...(Pages);
    static constexpr std::array<cell_form, count> forms{form_of<Pages>()...};

public:
    /// Why the layers are no network of cuDNN's; empty where they are one.
    template <class Net>
    static std::string why_not(stack_options const& how, Net const& net) {
        std::string text = why_not_options(how);
        for (std::size_t l = 0; text.empty() && l < net.layers.size(); ++l)
            text = why_not_layer(net, l);
        return text;
    }

    template <class Net>
    static rnn_shape shape_of(stack_options const& how, Net const& net) {
        auto const& first = net.layers[0].ways[0];
        cell_form const& form = forms[first.page];
        layer_sizes const widths = form.sizes_for(first.extents);
        return {.mode = form.mode,
                .layers = net.layers.size(),
                .bidirectional = how.direction == direction::bidirectional,
                .skips_input = form.skips_input,
                .input = widths.input,
                .units = widths.hidden,
                .projection = widths.projection,
                .dropout = how.dropout};
    }

    /// The map between the array of all parameters and the weights of all cells.
    template <class Net>
    static std::vector<detail::mapped_block> blocks(Net const& net, weight_layout const& layout) {
        using cell = typename std::decay_t<decltype(net.layers[0].ways)>::value_type;
        using blocks_of_cell =
            std::vector<detail::mapped_block> (*)(cell const&, weight_places const&, std::size_t);
        static constexpr std::array<blocks_of_cell, count> each{[] {
            if constexpr (form_of<Pages>().accepted)
                return blocks_of_cell([](cell const& of, weight_places const& at, std::size_t numbers) {
                    return blocks_of<Pages>(of.extents, of.settings, of.places, at, numbers);
                });
            else
                return blocks_of_cell(nullptr);
        }()...};
        std::vector<detail::mapped_block> all;
        std::size_t pseudo = 0;
        for (auto const& layer : net.layers)
            for (cell const& one : layer.ways) {
                auto const of_cell = each[one.page](one, layout.layers[pseudo++], layout.size);
                all.insert(all.end(), of_cell.begin(), of_cell.end());
            }
        return all;
    }
    /// Which of the states are h, and which are c of an LSTM.
    template <class Net>
    static network_states states_of(Net const& net) {
        network_states found;
        auto const add = [](auto const& layer, int state, std::vector<std::size_t>& to) {
            if (state < 0)
                return;
            std::size_t const place = layer.states[static_cast<std::size_t>(state)];
            if (std::ranges::find(to, place) == to.end())
                to.push_back(place);
        };
        for (auto const& layer : net.layers) {
            cell_form const& form = forms[layer.ways[0].page];
            add(layer, form.hidden_state, found.hidden);
            add(layer, form.cell_state, found.inner);
        }
        return found;
    }

private:
    static std::string why_not_options(stack_options const& how) {
        std::string text;
        if (how.residual != residual::none)
            append({"cuDNN adds no layer's input to its output, and .residual is ", name_of(how.residual)},
                   text);
        else if (how.zoneout > 0 || how.recurrent_dropout > 0)
            append({"cuDNN has no masks inside of its cells, and ",
                    how.zoneout > 0 ? ".zoneout" : ".recurrent_dropout", " is ",
                    how.zoneout > 0 ? how.zoneout : how.recurrent_dropout},
                   text);
        else if (how.dropout > 0 && how.variational)
            append({"cuDNN draws new masks of dropout at each time step, and these are variational"}, text);
        else if (how.dropout >= 1)
            append({"cuDNN scales what dropout leaves by 1 / (1 - rate), and the rate is ", how.dropout},
                   text);
        return text;
    }
    template <class Net>
    static std::string why_not_layer(Net const& net, std::size_t l) {
        static constexpr std::array<std::string (*)(sizes const&), count> reasons{
            &why_generated<Pages, S>...};
        auto const &cell = net.layers[l].ways[0], &cell_0 = net.layers[0].ways[0];
        std::string text;
        if (std::string const reason = reasons[cell.page](cell.extents); !reason.empty()) {
            append({"layer ", l, ": ", reason}, text);
            return text;
        }
        cell_form const &mine = forms[cell.page], &of_first = forms[cell_0.page];
        layer_sizes const widths = mine.sizes_for(cell.extents),
                          of_layer_0 = of_first.sizes_for(cell_0.extents);
        if (mine.mode != of_first.mode)
            append({"cuDNN runs layers of one cell, but layer 0 is its ", name_of(of_first.mode),
                    " and layer ", l, " its ", name_of(mine.mode)},
                   text);
        else if (widths.hidden != of_layer_0.hidden || widths.projection != of_layer_0.projection)
            append({"cuDNN runs layers of one width, but layer 0 has ", of_layer_0.hidden, " units and ",
                    of_layer_0.projection, " outputs, and layer ", l, " has ", widths.hidden, " and ",
                    widths.projection},
                   text);
        else if (l > 0 && mine.skips_input)
            append(
                {"cuDNN skips the input matrices of the first layer only, and layer ", l, " has none either"},
                text);
        return text;
    }
};

template <rnn_options Options, class Kernels, class S, class... Pages>
struct rnn_stack_engine {
    using cells = stack_cells<S, Pages...>;
    using net_type = net<host_memory<S, Kernels>>;

    static std::string why_not(stack_options const& how, net_type const& net) {
        return cells::why_not(how, net);
    }
    /// cuDNN's masks do not follow from the rows of a larger batch, but those of its parts differ.
    static std::uint64_t seed_of(stack_options const& how, std::uint64_t draw, std::size_t first_row) {
        std::uint64_t const of_draw = random_stream(how.dropout_seed, "dropout of cuDNN")() + draw;
        return random_stream(seed{of_draw}, first_row == 0 ? "" : std::to_string(first_row))();
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
