// SPDX-License-Identifier: BSL-1.0
#include <sluice/xtensor.hpp>

#include "gru.hpp"

int main() {
    sluice::cell<cost::my_gru> cell({.input = 3, .units = 5}, sluice::seed{7});
    sluice::adam optimizer(cell, {.learning_rate = 1e-2});
    xt::xtensor<float, 3> const xs = xt::ones<float>({4, 2, 3}), target = xt::zeros<float>({4, 2, 5});
    auto const run = unroll(cell, xs, cell.zero_state(2));
    auto const loss = sluice::mean_squared_error(run.outputs, target);
    optimizer.step(cell, backward(cell, run, loss.gradient).parameters);
    return loss.loss() > 2;
}
