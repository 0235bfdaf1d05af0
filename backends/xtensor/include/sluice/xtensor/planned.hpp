// SPDX-License-Identifier: BSL-1.0
// The planned lowering: hoisted and merged products, one pass for each pointwise block. `planned` is the
// default on the CPU; `fast` is the same with approximate sigmoid and tanh (xtensor/activations.hpp).
#pragma once

#include <concepts>
#include <sluice/net/plan_lowering.hpp>
#include <sluice/xtensor/kernels.hpp>
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
struct fast : detail::planned_with<fast_kernels> {};

} // namespace sluice::xtensor
