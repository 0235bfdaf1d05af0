// SPDX-License-Identifier: BSL-1.0
// The lowering of a cell that is one of cuDNN's: a sequence is one call of cuDNN's RNN with one layer. What
// cuDNN does not have goes to the engine of another lowering: sequences with resets or of more than 65,535
// steps, steps one after the other, and cells of sizes that cuDNN refuses. So does what is faster there.
#pragma once

#include <memory>
#include <sluice/cudnn/rnn/canonical.hpp>
#include <sluice/cudnn/rnn/network_engine.hpp>
#include <sluice/cudnn/rnn/sent_engine.hpp>
#include <sluice/net/lazy_engine.hpp>
#include <sluice/net/lowering.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sluice::cudnn {

/// What cuDNN is told of one layer of a page.
template <class Page>
rnn_shape shape_of(sizes const& n) {
    constexpr cell_form form = form_of<Page>();
    layer_sizes const widths = form.sizes_for(n);
    return {.mode = form.mode,
            .skips_input = form.skips_input,
            .input = widths.input,
            .units = widths.hidden,
            .projection = widths.projection};
}

/// Why a cell of these sizes does not run as cuDNN's; empty where it does.
template <class Page, class S>
std::string why_generated(sizes const& n) {
    if constexpr (!rnn_scalar<S>)
        return "cuDNN computes with double, float, half and bfloat16, and the scalar is another";
    else
        return why_not<Page>(n);
}

template <class Page, class S, class Other, rnn_options Options = rnn_options{}>
struct rnn_lowering {
    static constexpr cell_form form = form_of<Page>();
    using kernels_type = typename Other::kernels_type;
    using kernels = kernels_type;

    /// Kernels by themselves send and fetch what they need.
    static std::shared_ptr<engine<S, kernels>> make(cell_numbers<S> const& cell) {
        sizes const& n = cell.extents;
        std::vector<arithmetic_of<S>> const settings(cell.settings.begin(), cell.settings.end());
        if (!why_generated<Page, S>(n).empty())
            return Other::make_engine(n, cell.places, settings, 0);
        sent_widths widths{.inputs = {input_width<Page>(0, n)}, .output = extent(passes<Page>::output, n)};
        for (state_entry const& state : passes<Page>::states)
            widths.states.push_back(extent(state.columns, n));
        return std::make_shared<sent_engine<S, kernels>>(
            std::move(widths), cell.places, [&](std::span<tensor_place const> own, std::size_t numbers) {
                return make_engine(n, own, settings, numbers);
            });
    }
    /// cuDNN's where it takes these sizes, with the other one for resets and steps.
    static std::shared_ptr<engine<S, kernels>> make_engine(sizes const& n,
                                                           std::span<tensor_place const> places,
                                                           std::vector<arithmetic_of<S>> const& settings,
                                                           std::size_t numbers) {
        auto other = Other::make_engine(n, places, settings, numbers);
        if (!why_generated<Page, S>(n).empty())
            return other;
        rnn_shape const shape = shape_of<Page>(n);
        weight_layout const layout = layout_of(shape);
        network_states states{.hidden = {static_cast<std::size_t>(form.hidden_state)}};
        if (form.cell_state >= 0)
            states.inner = {static_cast<std::size_t>(form.cell_state)};
        return std::make_shared<network_engine<S, kernels>>(
            shape, rnn_network(rnn_numbers_of<S>::value, Options),
            weight_map<S>(blocks_of<Page>(n, settings, places, layout.layers[0], layout.size), layout.size,
                          numbers),
            std::move(states), std::make_shared<lazy_engine<S, kernels>>(std::move(other)));
    }
    static auto inference_program() { return Other::inference_program(); }
    static auto forward_program() { return Other::forward_program(); }
    static auto backward_program() { return Other::backward_program(); }
};

} // namespace sluice::cudnn
