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

/// What runs numbers that are kept as an S.
template <class Kernels, class S>
struct kernels_for_scalar {
    static_assert(
        std::floating_point<S>,
        "sluice: xtensor::planned computes in SIMD batches of float or double, and the scalar of the cell "
        "is another; use sluice::xtensor::reference, which runs every scalar");
    using type = std::conditional_t<std::floating_point<S>, Kernels, no_kernels>;
};

template <class Kernels>
struct planned_with {
    template <class Equations, class S>
    using lowering = plan_lowering<Equations, S, typename kernels_for_scalar<Kernels, S>::type>;
    /// Of a cell whose sizes are constants.
    template <class Equations, class S, class Extents>
    using fixed_lowering =
        plan_lowering<Equations, S, typename kernels_for_scalar<Kernels, S>::type, Extents>;
};

} // namespace detail

struct planned : detail::planned_with<kernels> {};

} // namespace sluice::xtensor

#ifndef SLUICE_RUNTIME // otherwise it is compiled elsewhere
#include <sluice/net/planned_engine.hpp>
#endif
