// SPDX-License-Identifier: BSL-1.0
// The contract with a backend that can run a stack of layers in one call, as cuDNN can. It is a second class
// template beside `lowering` (backend.hpp); a backend without it runs stacks layer by layer.
//
//   struct my_backend {
//       template <class Page, class S> class lowering;
//       template <class S, class State, class... Pages> class stack_lowering;
//   };
//
// A stack offers itself when it is made, and whoever does not take it says why:
//
//   static std::string why_not(stack_options const&, std::span<sizes const> of_each_layer)   empty: yes
//
// Then an object of the class is made, and asked instead of the layers:
//
//   void refresh(stack_view<S> const&)                                     when the parameters change or move
//   stack_result<S, State> infer(stack_view<S> const&, stack_input<S, State>) const     nothing is dropped
//   tape forward(stack_view<S> const&, stack_input<S, State>) const            in training: with dropout
//   stack_result<S, State> backward(stack_view<S> const&, tape const&, stack_upstream<S, State>,
//                                   stack_parameters&) const
//
// A tape has the outputs and the state of forward, which unroll moves out of it, is_kept() and shape(), as
// that of a cell has. backward gives the gradients of the inputs and of the initial state, and adds those of
// the parameters to an array of zeros that is laid out as the parameters are.
//
// Sequences with resets never come here: they run layer by layer, whoever took the stack.
#pragma once

#include <concepts>
#include <cstdint>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/xtensor.hpp>
#include <sluice/net/stack_options.hpp>
#include <sluice/parameter/arena.hpp>
#include <span>
#include <string>
#include <vector>

namespace sluice {

/// A stack as a backend sees it. The parameters lie in the order of sequence/stack_parameters.hpp.
template <class S>
struct stack_view {
    stack_options const& options;
    std::span<sizes const> of_each_layer;
    arena<S> const& parameters;
    std::vector<std::span<arithmetic_of<S> const>> settings{}; ///< of each cell, forward before backward
};

template <class S, class State>
struct stack_input {
    xt::xtensor<S, 3> xs{};             ///< [time, batch, input]; zeros past a sequence's length
    State state{};                      ///< [layers x directions, batch, width] each
    std::vector<std::size_t> lengths{}; ///< one for each row of the batch, or none: all full
    std::uint64_t draw = 0;             ///< of the masks
};

template <class S, class State>
struct stack_result {
    xt::xtensor<S, 3> outputs{}; ///< [time, batch, directions x output]; behind backward the gradient of xs
    State state{};
};

template <class S, class State>
struct stack_upstream {
    xt::xtensor<S, 3> outputs{};
    State state{};
    bool want_inputs = true;
};

namespace detail {

/// Of backends that run stacks layer by layer.
struct no_stack_lowering {
    struct tape {};
};

template <class Backend, class S, class State, class... Pages>
struct stack_lowering_of {
    using type = no_stack_lowering;
};
template <class Backend, class S, class State, class... Pages>
    requires requires {
        typename Backend::template stack_lowering<S, State, Pages...>;
    }
struct stack_lowering_of<Backend, S, State, Pages...> {
    using type = typename Backend::template stack_lowering<S, State, Pages...>;
};

} // namespace detail
} // namespace sluice
