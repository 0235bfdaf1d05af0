// SPDX-License-Identifier: BSL-1.0
// A scalar that is no SIMD batch is given to the lowering that computes in them.
// expect: sluice: xtensor::planned computes in SIMD batches of float or double, and the scalar of the cell is another; use sluice::xtensor::reference
// expect: kernels_for_scalar<.*bfloat16>
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>

auto make() {
#ifdef ACCEPT
    return sluice::cell<sluice::gru, sluice::bfloat16, sluice::xtensor::reference>({.input = 3, .units = 5});
#else
    return sluice::cell<sluice::gru, sluice::bfloat16>({.input = 3, .units = 5});
#endif
}
