// SPDX-License-Identifier: BSL-1.0
// The planned lowering, the default on the CPU: hoisted and merged products, one pass for each pointwise
// block.
#pragma once

#include <concepts>
#include <sluice/net/plan_programs.hpp>
#include <sluice/xtensor/host_kernels.hpp>
#include <type_traits>

namespace sluice::xtensor {

namespace detail {

/// Says that kernels run scalars whose arithmetic is another type; storage.hpp defines it.
template <class Kernels>
struct storage_kernels;

/// Says in a sentence which header a scalar needs.
template <class Kernels, class S>
constexpr bool require_scalar() {
    constexpr bool runs = std::floating_point<S> || requires {
        sizeof(storage_kernels<Kernels>);
    };
    static_assert(
        runs,
        "sluice: the default backend runs cells of float and double, and the scalar of this one is kept in "
        "fewer digits than it is computed in; include <sluice/xtensor/storage.hpp>, which has that too");
    return runs;
}
/// What runs numbers that are kept as an S.
template <class Kernels, class S>
using kernels_for_scalar = std::conditional_t<require_scalar<Kernels, S>(), Kernels, no_kernels>;

template <class Kernels>
struct planned_with {
    template <class Equations, class S>
    using lowering = plan_lowering<Equations, S, kernels_for_scalar<Kernels, S>>;
    /// Of a cell whose sizes are constants.
    template <class Equations, class S, class Extents>
    using fixed_lowering = plan_lowering<Equations, S, kernels_for_scalar<Kernels, S>, Extents>;
};

} // namespace detail

struct planned : detail::planned_with<kernels> {};

} // namespace sluice::xtensor

#ifndef SLUICE_RUNTIME // otherwise it is compiled elsewhere
#include <sluice/net/planned_engine.hpp>
#endif
