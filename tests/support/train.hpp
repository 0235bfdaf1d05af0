// SPDX-License-Identifier: BSL-1.0
// One training function for cells, for stacks of layers, and for nets that stay on a device. What it is given
// lies where its net does.
#pragma once

#include <cstddef>
#include <sluice/sequence/backward.hpp>
#include <sluice/train/adam.hpp>
#include <sluice/train/clip.hpp>
#include <sluice/train/mean_squared_error.hpp>
#include <sluice/train/penalty.hpp>
#include <vector>

namespace support {

/// The loss of each step; prepare(optimizer, penalty) constrains and regularises parameters.
template <class Net, class Sequence, class F>
std::vector<double> train(Net& net, Sequence const& xs, Sequence const& target, std::size_t steps,
                          F const& prepare) {
    std::vector<double> losses;
    sluice::adam optimizer(net, {.learning_rate = 1e-2});
    sluice::penalty penalty(net);
    prepare(optimizer, penalty);
    for (std::size_t s = 0; s < steps; ++s) {
        auto const run = sluice::unroll(net, xs, net.zero_state(xs.shape()[1]), {.draw = s});
        auto const loss = sluice::mean_squared_error(run.outputs, target);
        auto gradients = sluice::backward(net, run, loss.gradient);
        penalty.add_gradient(net, gradients.parameters);
        sluice::clip_by_global_norm(1, gradients.parameters);
        losses.push_back(loss.loss() + penalty.loss(net));
        optimizer.step(net, gradients.parameters);
    }
    return losses;
}

} // namespace support
