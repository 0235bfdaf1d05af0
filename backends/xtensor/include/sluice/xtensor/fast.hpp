// SPDX-License-Identifier: BSL-1.0
// The planned lowering with approximate sigmoid and tanh (xtensor/simd/activations.hpp):
// sluice::cell<page, float, sluice::xtensor::fast>.
#pragma once

#include <sluice/net/plan_lowering.hpp>
#include <sluice/xtensor/planned.hpp>

namespace sluice::xtensor {

/// With approximate activations.
struct fast_kernels : kernels {
    template <class Program, class S>
    static void pointwise(block_frame<S> const& frame) {
        run_block<program_with<Program, approximate>>(frame);
    }
    template <class Step, class Frame>
        requires(std::floating_point<typename Step::scalar>&&
                     row_step<Step, typename Step::scalar, approximate>::is_short)
    static void step_of_row(Frame const& f) { row_step<Step, typename Step::scalar, approximate>::run(f); }
};

struct fast : detail::planned_with<fast_kernels> {};

} // namespace sluice::xtensor
