// SPDX-License-Identifier: BSL-1.0
// The lowering of a cell that is one of cuDNN's: a sequence is one call of cuDNN's RNN with one layer. What
// cuDNN does not have goes to another lowering, which is told of the parameters when it is first asked:
// sequences with resets, steps one after the other, and cells of sizes that cuDNN refuses.
#pragma once

#include <memory>
#include <mutex>
#include <sluice/cudnn/canonical.hpp>
#include <sluice/cudnn/network_engine.hpp>
#include <sluice/lower/backend.hpp>
#include <sluice/net/lazy_engine.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sluice::cudnn {

/// A lowering that is told of changed parameters when it is first used after them.
template <class Lowering>
class lazy_lowering {
public:
    lazy_lowering() = default;
    lazy_lowering(lazy_lowering const& other) : lazy_lowering(other, std::lock_guard(other.mutex_)) {}
    lazy_lowering& operator=(lazy_lowering const& other) {
        lazy_lowering copy(other);
        std::lock_guard const lock(mutex_);
        lowering_ = std::move(copy.lowering_);
        is_stale_ = copy.is_stale_;
        return *this;
    }
    ~lazy_lowering() = default;

    void outdate() { is_stale_ = true; }
    template <class View>
    Lowering const& get(View const& cell) const {
        std::lock_guard const lock(mutex_);
        if (is_stale_)
            lowering_.refresh(cell);
        is_stale_ = false;
        return lowering_;
    }

private:
    mutable std::mutex mutex_{};
    mutable Lowering lowering_{};
    mutable bool is_stale_ = true;

    lazy_lowering(lazy_lowering const& other, std::lock_guard<std::mutex> const&)
        : lowering_(other.lowering_), is_stale_(other.is_stale_) {}
};

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
class rnn_lowering : public lowering_types<Page, S> {
    static constexpr cell_form form = form_of<Page>();

public:
    using typename lowering_types<Page, S>::view_type;
    using typename lowering_types<Page, S>::input_type;
    using result = sequence_result<Page, S>;
    using stepper = typename Other::stepper;
    using kernels_type = typename Other::kernels_type;

    struct tape : result {
        std::shared_ptr<rnn_tape const> kept{}; ///< of cuDNN
        typename Other::tape other{};           ///< or of the other lowering

        bool is_kept() const { return kept != nullptr || other.is_kept(); }
        std::array<std::size_t, 2> shape() const { return kept ? kept->shape() : other.shape(); }
    };

    void refresh(view_type const& cell) {
        is_ours_ = why_generated<Page, S>(cell.extents).empty();
        network_.refresh();
        other_.outdate();
    }

    result infer(view_type const& cell, input_type input) const {
        if (!takes(input))
            return other_.get(cell).infer(cell, std::move(input));
        result found = room_for(cell, input);
        if (!is_empty(input))
            network_.infer(shape_of<Page>(cell.extents), weights_of(cell), sequence_of(input),
                           answer_in(found));
        return found;
    }

    tape forward(view_type const& cell, input_type input) const {
        tape made;
        if (!takes(input)) {
            made.other = other_.get(cell).forward(cell, std::move(input));
            made.outputs = std::move(made.other.outputs);
            made.state = std::move(made.other.state);
            return made;
        }
        result found = room_for(cell, input);
        made.kept = is_empty(input) ? rnn_tape::of_nothing(steps_of(input.xs), batch_of(input.xs))
                                    : network_.forward(shape_of<Page>(cell.extents), weights_of(cell),
                                                       sequence_of(input), answer_in(found));
        static_cast<result&>(made) = std::move(found);
        return made;
    }

    gradients<Page, S> backward(view_type const& cell, tape const& forward,
                                upstream_gradients<Page, S> upstream) const {
        if (forward.other.is_kept())
            return other_.get(cell).backward(cell, forward.other, std::move(upstream));
        gradients<Page, S> found{.parameters = zero_parameters<Page, S>(cell.extents)};
        auto const [steps, batch] = forward.shape();
        rnn_shape const shape = shape_of<Page>(cell.extents);
        if (upstream.want_inputs)
            found.inputs.resize({steps, batch, shape.input});
        if (forward.kept->is_of_nothing()) {
            found.state = std::move(upstream.state);
            return found;
        }
        found.state = zero_states<Page, S>(cell.extents, batch);
        weight_layout const layout = layout_of(shape);
        std::vector<S> of_weights(layout.size);
        auto const given = addresses_of<S const>(std::as_const(upstream.state));
        auto const to = addresses_of<S>(found.state);
        network_.backward(*forward.kept, weights_of(cell),
                          {.dy = upstream.outputs.data(),
                           .dh = given[hidden],
                           .dc = form.cell_state < 0 ? nullptr : given[inner]},
                          {.dx = upstream.want_inputs ? found.inputs.data() : nullptr,
                           .dh = to[hidden],
                           .dc = form.cell_state < 0 ? nullptr : to[inner],
                           .weights = of_weights.data()});
        from_canonical<Page, S>(cell, layout.layers[0], std::span<S const>(of_weights), found.parameters);
        return found;
    }

    stepper prepare(view_type const& cell, std::size_t batch) const {
        return other_.get(cell).prepare(cell, batch);
    }
    void refresh(view_type const& cell, stepper& of) const { other_.get(cell).refresh(cell, of); }

    /// As of plan_lowering: cuDNN's where it takes these sizes, with the other one for resets.
    static std::unique_ptr<engine<S, kernels_type>> make_engine(sizes const& n,
                                                                std::span<tensor_place const> places,
                                                                std::vector<arithmetic_of<S>> const& settings,
                                                                std::size_t numbers) {
        auto other = Other::make_engine(n, places, settings, numbers);
        if (!why_generated<Page, S>(n).empty())
            return other;
        rnn_shape const shape = shape_of<Page>(n);
        weight_layout const layout = layout_of(shape);
        network_states states{.hidden = {hidden}};
        if (form.cell_state >= 0)
            states.inner = {inner};
        return std::make_unique<network_engine<S, kernels_type>>(
            shape, Options,
            weight_map<S>(blocks_of<Page>(n, settings, places, layout.layers[0], layout.size), layout.size,
                          numbers),
            std::move(states), std::make_unique<lazy_engine<S, kernels_type>>(std::move(other)));
    }
    static auto inference_program() { return Other::inference_program(); }
    static auto forward_program() { return Other::forward_program(); }
    static auto backward_program() { return Other::backward_program(); }

    /// For explain and for tests.
    rnn_network const& network() const { return network_; }

private:
    static constexpr auto hidden = static_cast<std::size_t>(form.hidden_state);
    static constexpr auto inner = static_cast<std::size_t>(form.cell_state < 0 ? 0 : form.cell_state);

    rnn_network network_{rnn_numbers_of<S>::value, Options};
    lazy_lowering<Other> other_{};
    bool is_ours_ = false;

    static bool is_empty(input_type const& input) {
        return steps_of(input.xs) == 0 || batch_of(input.xs) == 0;
    }
    bool takes(input_type const& input) const { return is_ours_ && input.resets.is_none(); }

    /// Room for the answer, which begins with the states of the input.
    static result room_for(view_type const& cell, input_type const& input) {
        result found{.state = input.state};
        found.outputs.resize(
            {steps_of(input.xs), batch_of(input.xs), extent(passes<Page>::output, cell.extents)});
        return found;
    }
    static rnn_answer answer_in(result& found) {
        auto const to = addresses_of<S>(found.state);
        return {.y = found.outputs.data(), .h = to[hidden], .c = form.cell_state < 0 ? nullptr : to[inner]};
    }
    static rnn_sequence sequence_of(input_type const& input) {
        auto const from = addresses_of<S const>(input.state);
        return {.steps = steps_of(input.xs),
                .batch = batch_of(input.xs),
                .lengths = input.lengths,
                .x = input.xs.data(),
                .h = from[hidden],
                .c = form.cell_state < 0 ? nullptr : from[inner]};
    }
    /// A function that gives the weights as the host has them.
    static auto weights_of(view_type const& cell) {
        return [&cell] {
            weight_layout const layout = layout_of(shape_of<Page>(cell.extents));
            std::vector<S> all(layout.size);
            to_canonical<Page, S>(cell, layout.layers[0], std::span<S>(all));
            return all;
        };
    }
};

} // namespace sluice::cudnn
