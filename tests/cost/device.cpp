// SPDX-License-Identifier: BSL-1.0
// e_learn.cpp for a CUDA device: the net and its numbers stay there.
#include <sluice/cudnn.hpp>

#include "gru.hpp"

int main() {
    sluice::cell<cost::my_gru, sluice::cudnn::device> const host({.input = 3, .units = 5}, sluice::seed{7});
    sluice::cudnn::resident net(host);
    sluice::adam optimizer(net, {.learning_rate = 1e-2});
    xt::xtensor<float, 3> const xs = xt::ones<float>({4, 2, 3}), target = xt::zeros<float>({4, 2, 5});
    auto const run = unroll(net, sluice::cudnn::send(xs), net.zero_state(2));
    auto const loss = sluice::mean_squared_error(run.outputs, sluice::cudnn::send(target));
    optimizer.step(net, backward(net, run, loss.gradient).parameters);
    return loss.loss() > 2;
}
