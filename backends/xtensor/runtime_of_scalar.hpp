// SPDX-License-Identifier: BSL-1.0
// sluice::xtensor, for one scalar: sluice/xtensor/runtime/runtime.hpp says what is in it. Functions of batches
// are in it for each width that the machine has.
#pragma once

#include <sluice/net/planned_engine.hpp>
#include <sluice/xtensor/product.hpp>
#include <sluice/xtensor/runtime/runtime_of_training.hpp>
#include <sluice/xtensor/simd/long_functions_of_xsimd.hpp>

#ifndef SLUICE_RUNTIME
#error "the library is compiled with SLUICE_RUNTIME defined as nothing: -DSLUICE_RUNTIME="
#endif

namespace sluice::xtensor {

template struct long_functions<SLUICE_RUNTIME_SCALAR, 16 / sizeof(SLUICE_RUNTIME_SCALAR)>;
#ifdef __AVX__
template struct long_functions<SLUICE_RUNTIME_SCALAR, 32 / sizeof(SLUICE_RUNTIME_SCALAR)>;
#endif
#ifdef __AVX512F__
template struct long_functions<SLUICE_RUNTIME_SCALAR, 64 / sizeof(SLUICE_RUNTIME_SCALAR)>;
#endif

} // namespace sluice::xtensor
