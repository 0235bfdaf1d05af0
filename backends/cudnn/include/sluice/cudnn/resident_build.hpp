// SPDX-License-Identifier: BSL-1.0
// The layers of a net of the host, as engines on the device: for each cell that engine which the policy of
// the net takes on the host, with the parameters where they lie in the array of all.
#pragma once

#include <memory>
#include <sluice/cudnn/device_policy.hpp>
#include <sluice/cudnn/resident_layers.hpp>
#include <sluice/sequence/stack_unroll.hpp>
#include <span>
#include <utility>
#include <vector>

namespace sluice::cudnn::detail {

/// A cell, without its names.
template <class S>
struct cell_parts {
    sizes extents;
    std::span<tensor_place const> places;
    std::vector<arithmetic_of<S>> settings;
    std::size_t parameters; ///< numbers of the net's
};

/// The engines of a lowering.
template <class Lowering>
struct engines_of {
    static_assert(never<Lowering>, "sluice: a net that stays on a CUDA device has a policy of one, "
                                   "sluice::cudnn::device or sluice::cudnn::planned");
};
template <class Page, class S, class Kernels>
struct engines_of<plan_lowering<Page, S, Kernels>> {
    static void make(cell_parts<S> const& of, resident_cell<S>& to) {
        to.planned = std::make_shared<planned_engine<Page, S, Kernels>>(of.extents, of.places, of.settings);
    }
};
template <class Page, class S, class Other, rnn_options Options>
struct engines_of<rnn_lowering<Page, S, Other, Options>> {
    static void make(cell_parts<S> const& of, resident_cell<S>& to) {
        engines_of<Other>::make(of, to);
        if (!why_generated<Page, S>(of.extents).empty())
            return;
        constexpr cell_form form = form_of<Page>();
        rnn_shape const shape = shape_of<Page>(of.extents);
        weight_layout const layout = layout_of(shape);
        network_states states{.hidden = {static_cast<std::size_t>(form.hidden_state)}};
        if (form.cell_state >= 0)
            states.inner = {static_cast<std::size_t>(form.cell_state)};
        to.of_cudnn = std::make_shared<network_engine<S>>(
            shape, Options,
            weight_map<S>(
                cudnn::blocks_of<Page>(of.extents, of.settings, of.places, layout.layers[0], layout.size),
                layout.size, of.parameters),
            std::move(states));
    }
};

/// That of a whole stack.
template <class Lowering>
struct whole_engine_of;
template <rnn_options Options, class S, class State, class... Pages>
struct whole_engine_of<rnn_stack_lowering<Options, S, State, Pages...>> {
    using cells = stack_cells<S, State, Pages...>;

    template <class Net>
    static std::shared_ptr<engine<S>> make(Net const& net) {
        auto const view = net.view();
        rnn_shape const shape = cells::shape_of(view.options, view.of_each_layer);
        weight_layout const layout = layout_of(shape);
        State const state = net.zero_state(0);
        return std::make_shared<network_engine<S>>(
            shape, Options,
            weight_map<S>(cells::blocks(view, layout), layout.size, view.parameters.values().size()),
            network_states{cells::places_of(state, cells::hidden), cells::places_of(state, cells::inner)});
    }
};

template <class Page, class S>
void add_masks(sizes const& n, stack_options const& how, std::string const& prefix,
               std::shared_ptr<queue> const& work, resident_cell<S>& to) {
    constexpr auto count = static_cast<std::size_t>(passes<Page>::inputs.size());
    if constexpr (count > 1) {
        to.masks = [n, how, prefix](std::size_t steps, std::size_t batch, std::optional<std::uint64_t> draw) {
            input_tensors<Page, S> inputs;
            for (std::size_t k = 0; k < count; ++k)
                if (auto const kind = sluice::detail::mask_of_input<Page>(k)) {
                    bool const is_drawn_anew = kind == mask_kind::zoneout;
                    nth_input(inputs, k).resize(
                        {draw && is_drawn_anew ? steps : 1, draw ? batch : 1, input_width<Page>(k, n)});
                }
            sluice::detail::fill_masks<Page, S>({how, prefix, draw}, inputs);
            std::vector<xt::xtensor<S, 3>> all;
            for (std::size_t k = 0; k < count; ++k)
                all.push_back(std::move(nth_input(inputs, k)));
            return all;
        };
        for (xt::xtensor<S, 3> const& values : to.masks(0, 0, {})) {
            to.constants.emplace_back(
                std::array<std::size_t, 3>{values.shape()[0], values.shape()[1], values.shape()[2]}, work);
            work->upload(values.data(), values.size() * sizeof(S), to.constants.back().data());
        }
    }
}

/// A cell of a layer, or by itself.
template <any_cell Cell, class S = typename Cell::scalar_type>
resident_cell<S> resident_cell_of(Cell const& cell, std::size_t parameters) {
    using page = typename Cell::page_type;
    constexpr auto count = static_cast<std::size_t>(passes<page>::inputs.size());
    resident_cell<S> made;
    auto const view = cell.view();
    engines_of<typename Cell::lowering_type>::make(
        {view.extents, view.parameters->array().places(), *view.settings, parameters}, made);
    for (std::size_t k = 0; k == 0 || k < count; ++k)
        made.widths.push_back(input_width<page>(k, view.extents));
    return made;
}

template <class Page>
void add_places(sizes const& n, std::size_t rows, std::vector<resident_place>& places) {
    for (state_entry const& state : passes<Page>::states)
        places.push_back({std::string(state.called.view()), rows, extent(state.columns, n)});
}

template <any_cell Cell, class S>
void build(Cell const& net, resident_layers<S>& made) {
    using page = typename Cell::page_type;
    made.is_cell = true;
    auto& layer = made.layers.emplace_back();
    layer.ways.push_back(resident_cell_of(net, net.parameters().values().size()));
    layer.input = net.input_size();
    layer.output = net.output_size();
    add_places<page>(net.extents(), 1, made.places);
    for (std::size_t k = 0; k < made.places.size(); ++k)
        layer.states.push_back(k);
}

template <any_stack Stack, class S>
void build(Stack const& net, resident_layers<S>& made) {
    constexpr bool is_listed = sluice::detail::are_by_layer<typename Stack::state_type>;
    std::size_t const parameters = net.parameters().values().size();
    net.for_each_layer([&](auto const& one, auto at) {
        using page = typename std::decay_t<decltype(one)>::cell_type::page_type;
        auto& layer = made.layers.emplace_back();
        auto const& cells = one.cells();
        for (std::size_t d = 0; d < cells.size(); ++d) {
            auto& way = layer.ways.emplace_back(resident_cell_of(cells[d], parameters));
            way.reads = sluice::detail::read_input<page>();
            add_masks<page>(cells[d].extents(), net.options(), net.prefix(at.layer, d), made.work(), way);
        }
        layer.is_reversed = net.options().direction == direction::reversed && !passes<page>::states.empty();
        layer.is_residual = net.is_residual(at.layer);
        layer.input = one.input_size();
        layer.output = cells.front().output_size();
        layer.first_row = net.first_row(at.layer);
        layer.behind = net.dropout_behind(at.layer);
        std::size_t const first = is_listed ? made.places.size() : 0;
        if (is_listed || at.layer == 0)
            add_places<page>(cells.front().extents(), (is_listed ? 1 : net.layers()) * net.directions(),
                             made.places);
        for (std::size_t k = 0; k < static_cast<std::size_t>(passes<page>::states.size()); ++k)
            layer.states.push_back(first + k);
    });
    if constexpr (sluice::detail::runs_whole<Stack>)
        if (net.whole() != nullptr) {
            made.whole = whole_engine_of<typename Stack::whole_type>::make(net);
            made.seed_of_whole = [how = net.options()](std::uint64_t draw) {
                return seed_of_dropout(how, draw);
            };
        }
}

} // namespace sluice::cudnn::detail
