// SPDX-License-Identifier: BSL-1.0
// The same in a sequence.
// expect: sluice: the state is of another cell, or of another scalar type; make it with zero_state of the cell that is unrolled
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>

using namespace sluice::equation;
using namespace sluice::literals;

void run(sluice::cell<sluice::gru> const& cell, sluice::cell<sluice::gru, double> const& other,
         xt::xtensor<float, 3> const& xs) {
#ifdef ACCEPT
    (void)other;
    unroll(cell, xs, cell.zero_state(2));
#else
    unroll(cell, xs, other.zero_state(2));
#endif
}
