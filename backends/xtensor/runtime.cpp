// SPDX-License-Identifier: BSL-1.0
// sluice::xtensor: sluice/xtensor/runtime.hpp says what is in it.
#include <sluice/net/planned_engine.hpp>
#include <sluice/xtensor/product.hpp>
#include <sluice/xtensor/runtime.hpp>

#ifndef SLUICE_RUNTIME
#error "the library is compiled with SLUICE_RUNTIME defined as nothing: -DSLUICE_RUNTIME="
#endif
