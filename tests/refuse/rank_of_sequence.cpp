// SPDX-License-Identifier: BSL-1.0
// One step is given to unroll.
// expect: sluice: unroll .* xs of shape \[time, batch, input\], of rank 3; a step is a call of the cell
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>

using namespace sluice::equation;
using namespace sluice::literals;

auto run(sluice::cell<sluice::gru> const& cell, xt::xtensor<float, 2> const& x) {
#ifdef ACCEPT
    return cell(x, cell.zero_state(2));
#else
    return unroll(cell, x, cell.zero_state(2));
#endif
}
