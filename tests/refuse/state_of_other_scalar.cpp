// SPDX-License-Identifier: BSL-1.0
// The state of a cell in double is given to one in float.
// expect: sluice: the state is of another cell, or of another scalar type; make it with zero_state of the cell that steps
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>

using namespace sluice::equation;
using namespace sluice::literals;

auto run(sluice::cell<sluice::gru> const& cell, sluice::cell<sluice::gru, double> const& other,
         xt::xtensor<float, 2> const& x) {
#ifdef ACCEPT
    (void)other;
    return cell(x, cell.zero_state(2));
#else
    return cell(x, other.zero_state(2));
#endif
}
