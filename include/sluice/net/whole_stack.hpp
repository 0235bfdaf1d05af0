// SPDX-License-Identifier: BSL-1.0
// The contract with a backend that can run a stack of layers in one call, as cuDNN can. It is a second class
// template beside `lowering` (net/lowering.hpp); a backend without it runs stacks layer by layer.
//
//   struct my_backend {
//       template <class Page, class S> class lowering;
//       template <class S, class... Pages> struct stack_engine;
//   };
//
// Its functions are static. `Net` is the net of the stack, net<host_memory<S, kernels>>, whose layers say
// their pages by number, their sizes, settings, states, and where their parameters lie:
//
//   std::string why_not(stack_options const&, Net const&)
//                                          whether it takes a stack: empty, or why it does not
//   std::shared_ptr<engine<S, kernels>> make(stack_options const&, Net const&)
//                                          the engine (net/engine.hpp) of all layers, between addresses of
//                                          the host; the kernels are those of the lowerings
//   std::uint64_t seed_of(stack_options const&, std::uint64_t draw, std::size_t first_row)
//                                          what masks that the engine draws follow from
//
// Such an engine is given the states of all layers. It has no steps, and never gets sequences with resets,
// which run layer by layer.
#pragma once

#include <cstdint>
#include <memory>
#include <sluice/net/net.hpp>
#include <sluice/net/stack_options.hpp>
#include <string>

namespace sluice::detail {

/// These functions.
template <class Memory>
struct whole_stack_engine {
    std::string (*why_not)(stack_options const&, net<Memory> const&);
    std::shared_ptr<typename net<Memory>::engine_type> (*make)(stack_options const&, net<Memory> const&);
    std::uint64_t (*seed_of)(stack_options const&, std::uint64_t draw, std::size_t first_row);
};

/// Of a backend that runs stacks layer by layer, none.
template <class Backend, class S, class Memory, class... Pages>
struct whole_stack {
    static constexpr whole_stack_engine<Memory> const* functions() { return nullptr; }
};
template <class Backend, class S, class Memory, class... Pages>
    requires requires {
        &Backend::template stack_engine<S, Pages...>::why_not;
    }
struct whole_stack<Backend, S, Memory, Pages...> {
    using engine = typename Backend::template stack_engine<S, Pages...>;
    static constexpr whole_stack_engine<Memory> all{&engine::why_not, &engine::make, &engine::seed_of};
    static constexpr whole_stack_engine<Memory> const* functions() { return &all; }
};

} // namespace sluice::detail
