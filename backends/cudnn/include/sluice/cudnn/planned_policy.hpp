// SPDX-License-Identifier: BSL-1.0
// Any cell on a CUDA device: hoisted and merged products through cuBLAS, one kernel for each pointwise block,
// which is compiled when it is first run.
//
//   sluice::cell<sluice::gru, float, sluice::cudnn::planned> cell({.input = 64, .units = 128});
//
// Where there is no device, making a cell throws a sentence; device_available() asks before. The scalars are
// float, double, sluice::half and sluice::bfloat16.
#pragma once

#include <sluice/cudnn/kernels/device_kernels.hpp>
#include <sluice/net/plan_lowering.hpp>

namespace sluice::cudnn {

namespace detail {

template <class S, factors How>
struct kernels_for_scalar {
    static_assert(source_scalar<S>::is_known,
                  "sluice: a cell on a CUDA device keeps its numbers as float, double, sluice::half or "
                  "sluice::bfloat16, and its scalar is another");
    using type = std::conditional_t<source_scalar<S>::is_known, basic_kernels<How>, no_kernels>;
};

} // namespace detail

struct planned {
    template <class Equations, class S>
    using lowering =
        plan_lowering<Equations, S, typename detail::kernels_for_scalar<S, factors::whole>::type>;
};

/// The same; tensor cores round the factors of products of floats to 11 binary digits.
struct planned_tf32 {
    template <class Equations, class S>
    using lowering = plan_lowering<Equations, S, typename detail::kernels_for_scalar<S, factors::tf32>::type>;
};

} // namespace sluice::cudnn
