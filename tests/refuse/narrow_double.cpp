// SPDX-License-Identifier: BSL-1.0
// Narrow weights of a cell of doubles.
// expect: sluice: xtensor::weights computes in float, but the scalar of the cell is another; leave the scalar out, or use the default backend
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/narrow/narrow_weights.hpp>

#ifdef ACCEPT
using cell = sluice::cell<sluice::gru, sluice::xtensor::weights<sluice::int8>>;
#else
using cell = sluice::cell<sluice::gru, double, sluice::xtensor::weights<sluice::int8>>;
#endif

cell made({.input = 3, .units = 5});
