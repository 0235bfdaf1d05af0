// SPDX-License-Identifier: BSL-1.0
// sluice::xtensor: sluice/xtensor/runtime.hpp says what is in it. Functions of batches are in it for each
// width that the machine has.
#include <sluice/net/planned_engine.hpp>
#include <sluice/xtensor/long_functions_of_xsimd.hpp>
#include <sluice/xtensor/product.hpp>
#include <sluice/xtensor/runtime.hpp>

#ifndef SLUICE_RUNTIME
#error "the library is compiled with SLUICE_RUNTIME defined as nothing: -DSLUICE_RUNTIME="
#endif

namespace sluice::xtensor {

template struct long_functions<float, 4>;
template struct long_functions<double, 2>;
#ifdef __AVX__
template struct long_functions<float, 8>;
template struct long_functions<double, 4>;
#endif
#ifdef __AVX512F__
template struct long_functions<float, 16>;
template struct long_functions<double, 8>;
#endif

} // namespace sluice::xtensor
