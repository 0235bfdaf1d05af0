// SPDX-License-Identifier: BSL-1.0
// A page with two masks on its recurrent products.
// expect: sluice: recurrent_dropout is given a page that has it already; use it once
#include <sluice/cell/adapt/recurrent_dropout.hpp>
#include <sluice/cell/adapt/zoneout.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/sluice.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
using adapted = sluice::recurrent_dropout<sluice::zoneout<sluice::lstm>>;
#else
using adapted = sluice::recurrent_dropout<sluice::zoneout<sluice::recurrent_dropout<sluice::lstm>>>;
#endif

constexpr auto text = sluice::print<adapted>();
