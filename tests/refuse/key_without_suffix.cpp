// SPDX-License-Identifier: BSL-1.0
// A key that is a plain string.
// expect: sluice: a key is a literal with the suffix _s, as in .?"W_r.?"_s
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>

using namespace sluice::equation;
using namespace sluice::literals;

void zero(sluice::cell<sluice::gru>& cell) {
#ifdef ACCEPT
    cell.assign("W_r"_s, xt::zeros<float>({2, 3}));
#else
    cell.assign("W_r", xt::zeros<float>({2, 3}));
#endif
}
