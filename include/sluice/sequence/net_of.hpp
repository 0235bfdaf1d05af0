// SPDX-License-Identifier: BSL-1.0
// A cell or a stack as a net (net/net.hpp), which knows no page: for each cell the engine that its lowering
// makes, with the parameters where they lie in the array of all, and the programs of its page.
//
//   stack<gru> of two layers     layers {0: page 0, 1: page 0}, programs of {gru}
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sluice/net/host_memory.hpp>
#include <sluice/net/page_cell.hpp>
#include <sluice/sequence/layer_inputs.hpp>
#include <sluice/sequence/stack_pages.hpp>
#include <string>
#include <utility>
#include <vector>

namespace sluice::detail {

/// The lowerings of a net, one for each page.
template <class Net>
struct lowerings_of {
    using type = lowering_list<typename Net::lowering_type>;
};
template <class Net>
    requires requires {
        typename Net::lowerings_type;
    }
struct lowerings_of<Net> {
    using type = typename Net::lowerings_type;
};

template <class Net>
using kernels_of_net = typename lowerings_of<Net>::type::first::kernels_type;

/// The programs of a net's pages. A user's program that only infers compiles no gradient.
template <class Net>
auto inference_programs() {
    return lowerings_of<Net>::type::all([]<class L>() { return L::inference_program(); });
}
template <class Net>
auto step_programs() {
    return lowerings_of<Net>::type::all([]<class L>() {
        if constexpr (requires { L::step_program(); })
            return L::step_program();
        else
            return L::inference_program();
    });
}
template <class Net>
auto forward_programs() {
    return lowerings_of<Net>::type::all([]<class L>() { return L::forward_program(); });
}
template <class Net>
auto backward_programs() {
    return lowerings_of<Net>::type::all([]<class L>() { return L::backward_program(); });
}

template <class Page, class Memory>
void add_masks(stack_options const& how, std::string const& prefix, Memory const& memory,
               net_cell<Memory>& to) {
    using S = typename Memory::scalar;
    constexpr auto count = static_cast<std::size_t>(passes<Page>::inputs.size());
    if constexpr (count > 1) {
        to.masks = [n = to.extents, how, prefix](std::size_t steps, std::size_t batch,
                                                 std::optional<std::uint64_t> draw) {
            input_tensors<Page, S> inputs;
            for (std::size_t k = 0; k < count; ++k)
                if (auto const kind = mask_of_input<Page>(k)) {
                    bool const is_of_each_step = kind == mask_kind::zoneout;
                    nth_input(inputs, k).resize(
                        {draw && is_of_each_step ? steps : 1, draw ? batch : 1, input_width<Page>(k, n)});
                }
            fill_masks<Page, S>({how, prefix, draw}, inputs);
            std::vector<xt::xtensor<S, 3>> all;
            for (std::size_t k = 0; k < count; ++k)
                all.push_back(std::move(nth_input(inputs, k)));
            return all;
        };
        for (xt::xtensor<S, 3>& values : to.masks(0, 0, {}))
            to.constants.push_back(memory.send(std::move(values)));
    }
}

/// A cell by itself. `engine_for(cell)` makes its engine.
template <any_cell Cell, class Memory, class F>
void build(Cell const& of, F const& engine_for, net<Memory>& made) {
    make_net_of_cell(passes<typename Cell::page_type>::entries, of.numbers(), engine_for(of), made);
}

/// The layers of a stack, one after the other.
template <class Stack, class Memory, class F>
void build(Stack const& of, F const& engine_for, net<Memory>& made) {
    constexpr bool is_listed = are_by_layer<typename Stack::state_type>;
    auto const places = of.view().parameters.places();
    made.parameters.assign(places.begin(), places.end());
    of.for_each_layer([&](auto const& one, auto at) {
        using cell = typename std::decay_t<decltype(one.cells())>::value_type;
        using page = typename cell::page_type;
        auto& layer = made.layers.emplace_back();
        auto const& cells = one.cells();
        for (std::size_t d = 0; d < cells.size(); ++d) {
            auto& way = layer.ways.emplace_back(net_cell_of<Memory>(passes<page>::entries, cells[d].numbers(),
                                                                    at.group, engine_for(cells[d])));
            way.reads = read_input<page>();
            add_masks<page>(of.options(), of.prefix(at.layer, d), made.memory, way);
        }
        layer.is_reversed = of.options().direction == direction::reversed && !passes<page>::states.empty();
        layer.is_residual = of.is_residual(at.layer);
        layer.input = one.input_size();
        layer.output = cells.front().output_size();
        layer.first_row = of.first_row(at.layer);
        layer.after = of.dropout_after(at.layer);
        std::size_t const first = is_listed ? made.places.size() : 0;
        if (is_listed || at.layer == 0)
            add_states(passes<page>::states, cells.front().extents(),
                       (is_listed ? 1 : of.layers()) * of.directions(), made.places);
        for (std::size_t k = 0; k < static_cast<std::size_t>(passes<page>::states.size()); ++k)
            layer.states.push_back(first + k);
    });
}

} // namespace sluice::detail
