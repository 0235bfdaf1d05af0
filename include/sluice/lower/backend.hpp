// SPDX-License-Identifier: BSL-1.0
// The contract with a backend, on one page.
//
// A backend is a type with one class template:
//
//   struct my_backend {
//       template <class Equations, class S> class lowering;
//   };
//
// `lowering` runs a layer of cells over a whole sequence, in both directions. It derives from lowering_types,
// holds what the backend makes of the parameters (packed weights, a device copy), and is told when they change:
//
//   void refresh(cell_view)                                           after every change of the parameters
//   tape forward(cell_view, sequence_input) const                     outputs, final states, and the tape
//   gradients backward(cell_view, tape const&, upstream_gradients) const      the exact gradients
//
// A tape owns all that backward reads, whatever becomes of the outputs and states beside it:
//
//   outputs, state                           what forward gives; unroll moves them out
//   bool is_kept() const                     false when forward was told to keep nothing, or moved from
//   std::array<std::size_t, 2> shape() const      time and batch, where it is kept
//
// How it does that is its own affair: a backend that knows the whole layer (cuDNN) calls it; every other one
// can hand `plan_lowering` (lower/plan_lowering.hpp) a type with the static functions below and gets both
// directions from the plan. A is [m, k] with rows `lda` apart, and so on.
//
//   product(m, n, k, a, lda, w, ldw, c, ldc)                 C[m, n] = A[m, k] W[k, n]
//   product_transposed(m, n, k, d, ldd, w, ldw, c, ldc)      C[m, n] = D[m, k] W[n, k]^T
//   outer(m, n, k, a, lda, d, ldd, g, ldg)                   G[m, n] = A[k, m]^T D[k, n]
//   column_sum(m, n, a, lda, s)                              S[n] = sum over the m rows of A[m, n]
//   pointwise<Block>(loads, stores, t, rows, segments, columns)
//       runs Block::program on each element (row, segment, column) of time step t; `loads` and `stores` are
//       the slots (lower/memory.hpp) of its loads and stores, in its order
//
// All matrices are row-major; every count may be zero, and then the result is zeros or nothing.
// A backend passes the conformance suite in tests/backend with a driver that names it.
#pragma once

#include <cstddef>
#include <sluice/parameter/parameters.hpp>
#include <span>
#include <vector>

namespace sluice {

/// What a lowering may know of a cell.
template <class Equations, class S>
struct cell_view {
    sizes extents{};
    parameter_map<Equations, S> const* parameters = nullptr;
    std::vector<S> const* settings = nullptr; ///< in the order of passes<Equations>::settings
};

/// One sequence. Rows past a sequence's length come as zeros in xs.
template <class Equations, class S>
struct sequence_input {
    xt::xtensor<S, 3> xs{};             ///< [time, batch, input]
    state_map<Equations, S> state{};    ///< [batch, width] each
    std::vector<std::size_t> lengths{}; ///< one for each row of the batch, or none: all full
    bool keep_tape = true;              ///< false: backward will not be called
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
    xt::xtensor<S, 3> inputs{};      ///< [time, batch, input]
    state_map<Equations, S> state{}; ///< of the initial states
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
             typename L::tape const& tape, upstream_gradients<Equations, S> upstream) {
    l.refresh(view);
    { c.forward(view, input) } -> std::same_as<typename L::tape>;
    { tape.is_kept() } -> std::same_as<bool>;
    { tape.shape() } -> std::same_as<std::array<std::size_t, 2>>;
    { tape.outputs } -> std::convertible_to<xt::xtensor<S, 3> const&>;
    { tape.state } -> std::convertible_to<state_map<Equations, S> const&>;
    { c.backward(view, tape, upstream) } -> std::same_as<gradients<Equations, S>>;
};

} // namespace sluice
