// SPDX-License-Identifier: BSL-1.0
// A scalar that is kept in fewer digits than it is computed in, without the header that has its kernels.
// expect: sluice: the default backend runs cells of float and double, and the scalar of this one is kept in fewer digits than it is computed in; include <sluice/xtensor/storage.hpp>
// expect: require_scalar
#include <sluice/cells/gru.hpp>
#include <sluice/core/half.hpp>
#include <sluice/xtensor.hpp>
#ifdef ACCEPT
#include <sluice/xtensor/storage.hpp>
#endif

auto make() {
    return sluice::cell<sluice::gru, sluice::bfloat16>({.input = 3, .units = 5});
}
