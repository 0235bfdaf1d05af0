// SPDX-License-Identifier: BSL-1.0
// More taps than have names.
// expect: sluice: resampled takes from 2 to 9 taps; give it as many as its longest delay has steps
#include <sluice/cell/adapt/resampled.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/sluice.hpp>

#ifdef ACCEPT
using adapted = sluice::resampled<sluice::gru, 9>;
#else
using adapted = sluice::resampled<sluice::gru, 10>;
#endif

constexpr auto text = sluice::print<adapted>();
