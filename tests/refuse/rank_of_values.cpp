// SPDX-License-Identifier: BSL-1.0
// A vector is given to a matrix.
// expect: sluice: assign .* values of the parameter's rank: 2 for a matrix
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>

using namespace sluice::equation;
using namespace sluice::literals;

void set(sluice::cell<sluice::gru>& cell) {
#ifdef ACCEPT
    cell.assign("W_r"_s, xt::xtensor<float, 2>());
#else
    cell.assign("W_r"_s, xt::xtensor<float, 1>());
#endif
}
