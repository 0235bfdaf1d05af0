// SPDX-License-Identifier: BSL-1.0
// Learns on a CUDA device without a number coming back but the loss: which bit came `late` steps before?
#include <cstddef>
#include <iostream>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cudnn.hpp>
#include <sluice/xtensor.hpp>

namespace {

constexpr std::size_t steps = 24, rows = 32, late = 5;

struct sequences {
    xt::xtensor<float, 3> xs = xt::zeros<float>({steps, rows, std::size_t{1}});
    xt::xtensor<int, 2> labels = xt::zeros<int>({steps, rows});
};

sequences draw(sluice::random_stream& random) {
    sequences made;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t t = 0; t < steps; ++t) {
            made.xs(t, r, 0) = static_cast<float>(random.below(2));
            made.labels(t, r) = t < late ? 0 : static_cast<int>(made.xs(t - late, r, 0));
        }
    return made;
}

} // namespace

int main() {
    if (!sluice::cudnn::device_available()) {
        std::cout << "skipped: no GPU\n";
        return 0;
    }
    using layers = sluice::layers<sluice::lstm, sluice::gru, sluice::dense>;
    sluice::stack<layers, sluice::cudnn::device> host(
        {{.input = 1, .units = 24}, {.units = 24}, {.units = 2}}, {}, sluice::seed{7});
    std::cout << sluice::cudnn::explain(host) << '\n';

    sluice::cudnn::resident net(host); // its parameters are on the device from here on
    sluice::adam optimizer(net, {.learning_rate = 1e-2});
    auto const state = net.zero_state(rows);
    sluice::random_stream random(sluice::seed{1}, "bits");
    double last = 0;
    for (int step = 0; step < 200; ++step) {
        auto const made = draw(random);
        auto const xs = sluice::cudnn::send(made.xs);
        auto const run = sluice::unroll(net, xs, state); // asked for, and not waited for
        auto const loss = sluice::softmax_cross_entropy(run.outputs, sluice::cudnn::send(made.labels));
        auto gradients = sluice::backward(net, run, loss.gradient);
        sluice::clip_by_global_norm(1, gradients.parameters);
        optimizer.step(net, gradients.parameters);
        if (step % 50 == 49)
            std::cout << "step " << step + 1 << ": " << (last = loss.loss()) << '\n';
    }
    net.fetch(host); // to be saved, or to run on without the device
    std::cout << "learnt: " << last << '\n';
}
