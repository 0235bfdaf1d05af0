// SPDX-License-Identifier: BSL-1.0
// The contract with a backend, on one page.
//
// A backend is a type with one class template:
//
//   struct my_backend {
//       template <class Equations, class S> class lowering;
//   };
//
// `Equations` is the page of a cell, S its scalar, in which numbers are kept; core/arithmetic.hpp says in
// which type they are computed. A lowering runs a layer of such cells over a whole
// sequence, in both directions. It derives from lowering_types, holds what the backend makes of the
// parameters (packed weights, a device copy), and is told when they change:
//
//   void refresh(cell_view)                              after every change of the parameters
//   sequence_result infer(cell_view, sequence_input) const       outputs and final states; nothing is kept
//   sequence_result infer(cell_view, sequence_in_place) const        by choice: of inputs that the caller has
//   tape forward(cell_view, sequence_input) const                the same, and the tape
//   gradients backward(cell_view, tape const&, upstream_gradients) const       the exact gradients
//
// A program that only infers instantiates `refresh` and `infer`, and must get no derivative with them. Nor
// must one with steppers, which run one step after the other for as long as inputs come:
//
//   stepper prepare(cell_view, batch) const              once
//   void refresh(cell_view, stepper&) const              when a parameter has changed, or lies elsewhere
//
// A stepper derives from step_tensors and owns the state and all memory of a step. It can be moved, and may
// outlive the lowering as long as nobody steps it then: what it reads of the lowering and of the cell,
// refresh tells it.
//
//   void set_state(state_map const&)  before the first step, and whenever somebody wants
//   void set_state(state_map const&, row)    of that row of the batch only
//   void copy_state(state_map&) const
//   void step()                       output and the next state, from inputs and the state; allocates nothing
//   void step_from(S const* x)        by choice: the same, where the first input lies there
//
// A tape owns all that backward reads, whatever becomes of the outputs and states beside it:
//
//   outputs, state                           what forward gives; unroll moves them out
//   bool is_kept() const                     false when it was moved from
//   std::array<std::size_t, 2> shape() const      time and batch, where it is kept
//
// Stacks run the cells of their layers as engines (net/engine.hpp), which know no names:
//
//   kernels_type                              of the engine
//   engine<S, kernels_type> const& as_engine() const      what runs the cell, between addresses of the host
//   static inference_program(), forward_program(), backward_program()      what the engine is run with
//
// How it does that is its own affair. `engine_lowering` (net/engine_lowering.hpp) makes most of a lowering of
// an engine. A backend that knows the whole layer (cuDNN) has an engine of its own; every other one can hand
// `plan_lowering` (net/plan_lowering.hpp) its kernels (lower/kernels.hpp) and gets both directions from the
// plans. A backend passes the conformance suite in tests/backend with a driver that names it.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <sluice/lower/rows.hpp>
#include <sluice/parameter/parameters.hpp>
#include <span>
#include <utility>
#include <vector>

namespace sluice {

/// What a lowering may know of a cell.
template <class Equations, class S>
struct cell_view {
    sizes extents{};
    parameter_map<Equations, S> const* parameters = nullptr;
    std::vector<arithmetic_of<S>> const* settings = nullptr; ///< in the order of passes<Equations>::settings
};

/// One sequence. Rows past a sequence's length come as zeros in xs. Before a step at which it is reset a row
/// has the states of `state` again.
template <class Equations, class S>
struct sequence_input {
    input_tensors<Equations, S> xs{};
    state_map<Equations, S> state{};    ///< [batch, width] each
    std::vector<std::size_t> lengths{}; ///< one for each row of the batch, or none: all full
    reset_mask resets{};                ///< [time, batch], or none

    row_times rows() const { return {batch_of(xs), lengths, resets.values()}; }
};

/// One sequence without padding, where it lies with the caller.
template <class Equations, class S>
struct sequence_in_place {
    std::vector<S const*> inputs{};                 ///< [time, batch, width] each, side by side
    std::array<std::size_t, 2> shape{};             ///< time, batch
    state_map<Equations, S> const* start = nullptr; ///< [batch, width] each
    row_times rows{};
};

namespace detail {

/// Puts zeros into the rows of [time, batch, width] past a sequence's length.
template <class S>
void clear_padding(xt::xtensor<S, 3>& values, std::span<std::size_t const> lengths) {
    auto const [steps, batch, width] = values.shape();
    for (std::size_t t = 0; t < steps && !lengths.empty(); ++t)
        for (std::size_t r = 0; r < batch; ++r)
            if (t >= lengths[r])
                std::fill_n(values.data() + (t * batch + r) * width, width, S(0));
}

} // namespace detail

/// What a sequence gives. Rows past a sequence's length are zeros in the outputs, and keep their state.
template <class Equations, class S>
struct sequence_result {
    xt::xtensor<S, 3> outputs{};     ///< [time, batch, output]
    state_map<Equations, S> state{}; ///< [batch, width] each
};

namespace detail {

/// Whether a lowering reads inputs in place.
template <class L, class Equations, class S>
concept infers_in_place = requires(L const& l, cell_view<Equations, S> view,
                                   sequence_in_place<Equations, S> input) {
    { l.infer(view, input) } -> std::same_as<sequence_result<Equations, S>>;
};

} // namespace detail

/// What a step reads, and what it gives.
template <class Equations, class S>
struct step_tensors {
    input_tensors<Equations, S> inputs{}; ///< [1, batch, width] each
    xt::xtensor<S, 2> output{};           ///< [batch, output]

    step_tensors(sizes const& n, std::size_t batch) {
        constexpr auto count = static_cast<std::size_t>(passes<Equations>::inputs.size());
        for (std::size_t k = 0; k == 0 || k < count; ++k) {
            std::size_t const width = input_width<Equations>(k, n);
            detail::require_count("an input of a step", {batch, width});
            auto& input = nth_input(inputs, k);
            input.resize({std::size_t(1), batch, width});
            std::fill_n(input.data(), input.size(), S(0));
        }
        std::size_t const width = extent(passes<Equations>::output, n);
        detail::require_count("the output of a step", {batch, width});
        output.resize({batch, width});
        std::fill_n(output.data(), output.size(), S(0));
    }
    /// A copy of the first input.
    void take_first(S const* x) {
        auto& input = nth_input(inputs, 0);
        std::copy_n(x, input.size(), input.data());
    }
};

/// The gradients of a loss with respect to what a sequence gave.
template <class Equations, class S>
struct upstream_gradients {
    xt::xtensor<S, 3> outputs{};     ///< [time, batch, output]; rows past a sequence's length are ignored
    state_map<Equations, S> state{}; ///< of the final states
    bool want_inputs = true;         ///< false: the gradient of the inputs is left empty
};

/// The gradients of a loss with respect to what a sequence was made from.
template <class Equations, class S>
struct gradients {
    parameter_map<Equations, S> parameters{};
    input_tensors<Equations, S> inputs{};
    state_map<Equations, S> state{}; ///< of the initial states: of all steps that start from them
};

/// The types that a lowering speaks of; every lowering derives from it.
template <class Equations, class S>
struct lowering_types {
    using view_type = cell_view<Equations, S>;
    using input_type = sequence_input<Equations, S>;
};

/// A lowering of these equations for this scalar.
template <class L, class Equations, class S>
concept lowering_of = std::derived_from<L, lowering_types<Equations, S>> &&
    requires(L& l, L const& c, cell_view<Equations, S> view, sequence_input<Equations, S> input,
             typename L::tape const& tape, upstream_gradients<Equations, S> upstream,
             typename L::stepper& stepper, state_map<Equations, S>& state, std::size_t batch,
             std::size_t row) {
    l.refresh(view);
    { c.infer(view, input) } -> std::same_as<sequence_result<Equations, S>>;
    { c.forward(view, input) } -> std::same_as<typename L::tape>;
    { tape.is_kept() } -> std::same_as<bool>;
    { tape.shape() } -> std::same_as<std::array<std::size_t, 2>>;
    { tape.outputs } -> std::convertible_to<xt::xtensor<S, 3> const&>;
    { tape.state } -> std::convertible_to<state_map<Equations, S> const&>;
    { c.backward(view, tape, upstream) } -> std::same_as<gradients<Equations, S>>;
    typename L::kernels_type;
    c.as_engine();
    L::inference_program();
    L::forward_program();
    L::backward_program();
    requires std::derived_from<typename L::stepper, step_tensors<Equations, S>>;
    requires std::movable<typename L::stepper>;
    { c.prepare(view, batch) } -> std::same_as<typename L::stepper>;
    c.refresh(view, stepper);
    stepper.set_state(std::as_const(state));
    stepper.set_state(std::as_const(state), row);
    std::as_const(stepper).copy_state(state);
    stepper.step();
};

} // namespace sluice
