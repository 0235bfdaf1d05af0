// SPDX-License-Identifier: BSL-1.0
// The contract with a backend that can run a stack of layers in one call, as cuDNN can. It is a second class
// template beside `lowering` (net/lowering.hpp); a backend without it runs stacks layer by layer.
//
//   struct my_backend {
//       template <class Page, class S> class lowering;
//       template <class S, class State, class... Pages> struct stack_engine;
//   };
//
// Its functions are static:
//
//   std::string why_not(stack_options const&, std::span<sizes const> of_each_layer)
//                                          whether it takes a stack: empty, or why it does not
//   std::shared_ptr<engine<S, kernels>> make(stack_view<S> const&, State const& without_rows)
//                                          the engine (net/engine.hpp) of all layers, between addresses of
//                                          the host; the kernels are those of the lowerings
//   std::uint64_t seed_of(stack_options const&, std::uint64_t draw)
//                                          what masks that the engine draws follow from
//
// Such an engine is given the states of all layers. It has no steps, and never gets sequences with resets,
// which run layer by layer.
#pragma once

#include <sluice/core/arithmetic.hpp>
#include <sluice/net/stack_options.hpp>
#include <sluice/parameter/arena.hpp>
#include <span>
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

namespace detail {

/// Of backends that run stacks layer by layer.
struct no_stack_engine {};

template <class Backend, class S, class State, class... Pages>
struct stack_engine_of {
    using type = no_stack_engine;
};
template <class Backend, class S, class State, class... Pages>
    requires requires {
        typename Backend::template stack_engine<S, State, Pages...>;
    }
struct stack_engine_of<Backend, S, State, Pages...> {
    using type = typename Backend::template stack_engine<S, State, Pages...>;
};

} // namespace detail
} // namespace sluice
