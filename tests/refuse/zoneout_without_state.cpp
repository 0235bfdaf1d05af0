// SPDX-License-Identifier: BSL-1.0
// A page without a state.
// expect: sluice: zoneout is for states, and these equations have none
#include <sluice/cell/adapt/zoneout.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/sluice.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
using adapted = sluice::zoneout<sluice::gru>;
#else
using adapted = sluice::zoneout<sluice::dense>;
#endif

constexpr auto text = sluice::print<adapted>();
