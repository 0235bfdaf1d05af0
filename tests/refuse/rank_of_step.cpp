// SPDX-License-Identifier: BSL-1.0
// A sequence is given to a step.
// expect: sluice: a step .* x of shape \[batch, input\], of rank 2
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>

using namespace sluice::equation;
using namespace sluice::literals;

auto run(sluice::cell<sluice::gru> const& cell, xt::xtensor<float, 3> const& xs) {
#ifdef ACCEPT
    return unroll(cell, xs, cell.zero_state(2));
#else
    return cell(xs, cell.zero_state(2));
#endif
}
