// SPDX-License-Identifier: BSL-1.0
// Numbers are given where resets are a mask.
// expect: sluice: resets are a mask of bool; a comparison makes one of numbers: done > 0
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>

using namespace sluice::equation;

auto run(sluice::cell<sluice::gru> const& cell, xt::xtensor<float, 3> const& xs,
         xt::xtensor<float, 2> const& done) {
#ifdef ACCEPT
    return unroll(cell, xs, cell.zero_state(2), {.resets = done > 0});
#else
    return unroll(cell, xs, cell.zero_state(2), {.resets = done});
#endif
}
