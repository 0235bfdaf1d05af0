// SPDX-License-Identifier: BSL-1.0
// A page that measure.py names runs, and runs backward.
#include <sluice/xtensor.hpp>
#include COST_HEADER

int main() {
    sluice::cell<COST_PAGE> cell({.input = 4, .units = 8});
    xt::xtensor<float, 3> const xs = xt::ones<float>({4, 2, 4});
    auto const run = unroll(cell, xs, cell.zero_state(2));
    auto const gradients = backward(cell, run, run.outputs);
    return gradients.inputs(0, 0, 0) > 2;
}
