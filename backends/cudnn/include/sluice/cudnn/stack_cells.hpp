// SPDX-License-Identifier: BSL-1.0
// The layers of a stack as cuDNN counts them: whether they are one network of its cells, and how their
// parameters and states become its weights and states.
#pragma once

#include <array>
#include <sluice/cudnn/rnn_cell.hpp>
#include <sluice/net/whole_stack.hpp>
#include <sluice/sequence/stack_state.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sluice::cudnn {

template <class S, class State, class... Pages>
class stack_cells {
    static constexpr std::size_t count = sizeof...(Pages);
    static constexpr bool is_listed = sluice::detail::are_by_layer<State>;
    static constexpr std::array<cell_form, count> forms{form_of<Pages>()...};
    template <std::size_t I>
    using page_at = std::tuple_element_t<I, std::tuple<Pages...>>;
    using all_pages = std::make_index_sequence<count>;

public:
    enum state_kind { hidden, inner }; ///< h, and c of an LSTM

    /// Why the stack is no network of cuDNN's; empty where it is one.
    static std::string why_not(stack_options const& how, std::span<sizes const> of_each_layer) {
        std::string text = why_not_options(how);
        for (std::size_t l = 0; text.empty() && l < of_each_layer.size(); ++l)
            text = why_not_layer(how, of_each_layer, l);
        return text;
    }

    static rnn_shape shape_of(stack_options const& how, std::span<sizes const> of_each_layer) {
        std::size_t const first = page_of(how, of_each_layer, 0);
        layer_sizes const widths = forms[first].sizes_for(of_each_layer[0]);
        return {.mode = forms[first].mode,
                .layers = of_each_layer.size(),
                .bidirectional = how.direction == direction::bidirectional,
                .skips_input = forms[first].skips_input,
                .input = widths.input,
                .units = widths.hidden,
                .projection = widths.projection,
                .dropout = how.dropout};
    }

    /// The map between the array of all parameters and the weights of all cells.
    static std::vector<detail::mapped_block> blocks(stack_view<S> const& net, weight_layout const& layout) {
        std::vector<detail::mapped_block> all;
        for_each_cell(net, [&]<class Page>(sizes const& n, auto const& places, std::size_t pseudo) {
            auto const of_cell =
                blocks_of<Page>(n, std::vector(net.settings[pseudo].begin(), net.settings[pseudo].end()),
                                places, layout.layers[pseudo], layout.size);
            all.insert(all.end(), of_cell.begin(), of_cell.end());
        });
        return all;
    }
    /// The places of a state of that kind in the order of for_each_parameter of all states.
    static std::vector<std::size_t> places_of(State const& state, state_kind kind) {
        std::vector<void const*> wanted;
        for_each_state(state, kind, [&](auto const& tensor) { wanted.push_back(&tensor); });
        std::vector<std::size_t> places;
        std::size_t place = 0;
        for_each_parameter(state, [&](auto, auto const& tensor) {
            for (void const* const one : wanted)
                if (one == &tensor)
                    places.push_back(place);
            ++place;
        });
        return places;
    }

private:
    /// Which of the pages a layer is of.
    static std::size_t page_of(stack_options const& how, std::span<sizes const> of_each_layer,
                               std::size_t layer) {
        if (is_listed)
            return layer;
        bool const skips = count == 2 && layer == 0 &&
                           skips_input(how.input_mode, of_each_layer[0].input, of_each_layer[0].units);
        return skips ? 0 : count - 1;
    }

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
            append({"cuDNN draws the masks of dropout anew at each time step, and these are variational"},
                   text);
        else if (how.dropout >= 1)
            append({"cuDNN scales what dropout leaves by 1 / (1 - rate), and the rate is ", how.dropout},
                   text);
        return text;
    }
    static std::string why_not_layer(stack_options const& how, std::span<sizes const> of_each_layer,
                                     std::size_t l) {
        static constexpr std::array<std::string (*)(sizes const&), count> reasons{
            &why_generated<Pages, S>...};
        std::size_t const page = page_of(how, of_each_layer, l), first = page_of(how, of_each_layer, 0);
        std::string text;
        if (std::string const reason = reasons[page](of_each_layer[l]); !reason.empty()) {
            append({"layer ", l, ": ", reason}, text);
            return text;
        }
        cell_form const &mine = forms[page], &of_first = forms[first];
        layer_sizes const widths = mine.sizes_for(of_each_layer[l]),
                          of_layer_0 = of_first.sizes_for(of_each_layer[0]);
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

    static constexpr int state_of(std::size_t page, state_kind kind) {
        return kind == hidden ? forms[page].hidden_state : forms[page].cell_state;
    }
    /// f(tensor) of each part of a state, in the order of the layers.
    template <class Any, class F>
    static void for_each_state(Any& state, state_kind kind, F const& f) {
        auto const of = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
            auto const tensors = sluice::detail::part_of<I>(state).tensors();
            if (int const k = state_of(I, kind); k >= 0)
                f(tensors[static_cast<std::size_t>(k)]);
        };
        if constexpr (is_listed)
            [&]<std::size_t... I>(std::index_sequence<I...>) {
                (of(std::integral_constant<std::size_t, I>{}), ...);
            }
        (all_pages{});
        else of(std::integral_constant<std::size_t, count - 1>{});
    }

    /// Where the parameters of a cell lie; `next` are the numbers of the next places: of vectors, and of
    /// matrices.
    template <class Page>
    static std::vector<tensor_place> places_of(stack_view<S> const& net, std::array<std::size_t, 2>& next) {
        std::vector<tensor_place> places;
        for (parameter_entry const& entry : passes<Page>::parameters)
            places.push_back(net.parameters.places()[next[entry.rank >= 2]++]);
        return places;
    }
    /// f<Page>(sizes of a cell, places of its parameters, its pseudo-layer) for all. In the array of all lie
    /// first the matrices of each cell, then its vectors and numbers.
    template <class F>
    static void for_each_cell(stack_view<S> const& net, F const& f) {
        std::size_t const directions = directions_of(net.options.direction);
        auto const& n = net.of_each_layer;
        auto const is_matrix = [](tensor_place const& p) { return p.rank >= 2; };
        std::array<std::size_t, 2> next{
            static_cast<std::size_t>(std::ranges::count_if(net.parameters.places(), is_matrix)), 0};
        for (std::size_t pseudo = 0; pseudo < n.size() * directions; ++pseudo) {
            std::size_t const layer = pseudo / directions, page = page_of(net.options, n, layer);
            auto const of = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
                if constexpr (forms[I].accepted)
                    if (I == page)
                        f.template operator()<page_at<I>>(n[layer], places_of<page_at<I>>(net, next), pseudo);
            };
            [&]<std::size_t... I>(std::index_sequence<I...>) {
                (of(std::integral_constant<std::size_t, I>{}), ...);
            }
            (all_pages{});
        }
    }
};

} // namespace sluice::cudnn
