// SPDX-License-Identifier: BSL-1.0
// A file that learns, with the header for running alone.
// expect: sluice: <sluice/xtensor/step.hpp> has what runs cells; include <sluice/xtensor.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor/step.hpp>
#ifdef ACCEPT
#include <sluice/xtensor.hpp>
#endif

void learn(sluice::cell<sluice::gru> const& cell, xt::xtensor<float, 3> const& xs) {
    auto const run = unroll(cell, xs, cell.zero_state(2));
    backward(cell, run, run.outputs);
}
