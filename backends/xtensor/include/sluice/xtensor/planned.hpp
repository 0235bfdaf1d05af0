// SPDX-License-Identifier: BSL-1.0
// The planned lowering: hoisted and merged products, one pass for each pointwise block. The default on the
// CPU.
#pragma once

#include <sluice/lower/plan_lowering.hpp>
#include <sluice/xtensor/kernels.hpp>

namespace sluice::xtensor {

struct planned {
    template <class Equations, class S>
    using lowering = plan_lowering<Equations, S, kernels>;
};

} // namespace sluice::xtensor
