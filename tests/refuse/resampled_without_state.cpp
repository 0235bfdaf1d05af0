// SPDX-License-Identifier: BSL-1.0
// A page in which nothing goes back.
// expect: sluice: resampled is for states, and these equations have none; use the page as it is
// expect: resampled<sluice::dense
#include <sluice/cell/adapt/resampled.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/sluice.hpp>

#ifdef ACCEPT
using adapted = sluice::resampled<sluice::gru>;
#else
using adapted = sluice::resampled<sluice::dense>;
#endif

constexpr auto text = sluice::print<adapted>();
