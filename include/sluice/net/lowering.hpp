// SPDX-License-Identifier: BSL-1.0
// The contract with a backend, on one page.
//
// A backend is a type with one class template:
//
//   struct my_backend {
//       template <class Page, class S> struct lowering;
//   };
//
// `Page` is the page of a cell. S is its scalar: numbers are kept as an S, and computed in the type that
// core/arithmetic.hpp gives. A lowering says what runs such cells: an engine (net/engine.hpp), which knows
// no page, and the programs that the engine is run with. It has
//
//   kernels_type                                             of the engine
//   static std::shared_ptr<engine<S, kernels_type>> make(cell_numbers<S> const&)
//                                                            an engine between addresses of the host; it is
//                                                            made again when a setting changes
//   static inference_program(), forward_program(), backward_program()
//   static step_program()                                    by choice: what steppers are made with, if it
//                                                            is not the first of them
//   static constexpr bool has_gradient = false               by choice: `backward` is refused
//
// A program that only infers, or steps, instantiates no other program, and gets no derivative with it.
//
// How an engine does its work is its own affair. A backend that knows the whole layer (cuDNN) has an engine
// of its own; every other one can hand `plan_lowering` (net/plan_lowering.hpp) its kernels
// (backend/kernels.hpp) and gets both directions from the plans. A backend passes the conformance suite in
// tests/backend with a driver that names it.
#pragma once

#include <concepts>
#include <memory>
#include <sluice/net/engine.hpp>

namespace sluice {

/// A lowering of some page for this scalar.
template <class L, class S>
concept lowering_of = requires(cell_numbers<S> const& cell) {
    { L::make(cell) } -> std::convertible_to<std::shared_ptr<engine<S, typename L::kernels_type>>>;
    { L::inference_program() } -> std::same_as<sweep_program<S, typename L::kernels_type>>;
    { L::forward_program() } -> std::same_as<sweep_program<S, typename L::kernels_type>>;
    { L::backward_program() } -> std::same_as<sweep_program<S, typename L::kernels_type>>;
};

} // namespace sluice
