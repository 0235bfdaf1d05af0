// SPDX-License-Identifier: BSL-1.0
#include <sluice/xtensor/step.hpp>

#include "gru.hpp"

int main() {
    sluice::cell<cost::my_gru> cell({.input = 3, .units = 5}, sluice::seed{7});
    xt::xtensor<float, 3> const xs = xt::ones<float>({4, 2, 3});
    auto const run = infer(cell, xs, cell.zero_state(2));
    return run.outputs(0, 0, 0) > 2;
}
