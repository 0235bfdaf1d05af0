// SPDX-License-Identifier: BSL-1.0
// Weights of a type that is not narrow.
// cure: Write sluice::xtensor::weights<sluice::bfloat16> or sluice::xtensor::weights<sluice::int8>.
// expect: sluice::bfloat16 or sluice::int8 as the type in which weights are kept, but is given another
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/narrow/narrow_weights.hpp>

#ifdef ACCEPT
using cell = sluice::cell<sluice::gru, sluice::xtensor::weights<sluice::int8>>;
#else
using cell = sluice::cell<sluice::gru, sluice::xtensor::weights<signed char>>;
#endif

cell made({.input = 3, .units = 5});
