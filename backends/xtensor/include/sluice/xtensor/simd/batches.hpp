// SPDX-License-Identifier: BSL-1.0
// The batches of sluice/simd, by the names that kernels call them.
#pragma once

#include <sluice/simd/simd.hpp>

namespace sluice::xtensor {

using batches::batch, batches::bits_as, batches::has_batches, batches::is_batch, batches::lane_by_lane,
    batches::lanes_up_to, batches::lanes_within, batches::mask, batches::register_bytes, batches::simd,
    batches::simd_of, batches::widest;

namespace detail {

using batches::detail::vector_of, batches::detail::whole_vector;

} // namespace detail

} // namespace sluice::xtensor
