// SPDX-License-Identifier: BSL-1.0
// The adding problem (Hochreiter and Schmidhuber, Long Short-Term Memory, 1997): each step has a random
// number and a mark, two steps of a sequence are marked, and the answer is the sum of their two numbers. Here
// it is asked at every step, so that what comes later counts too, and sequences have different lengths.
#include <cstddef>
#include <iostream>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor.hpp>
#include <vector>

namespace {

struct batch {
    xt::xtensor<float, 3> xs;     // [time, batch, 2]: the number, the mark
    xt::xtensor<float, 3> answer; // [time, batch, 1]
    std::vector<std::size_t> lengths;
};

batch draw(sluice::random_stream& random) {
    std::size_t const steps = 12, rows = 16;
    batch b{
        xt::zeros<float>({steps, rows, std::size_t{2}}), xt::zeros<float>({steps, rows, std::size_t{1}}), {}};
    for (std::size_t r = 0; r < rows; ++r) {
        std::size_t const length = steps / 2 + random.below(steps / 2 + 1);
        std::size_t const first = random.below(length / 2),
                          second = length / 2 + random.below(length - length / 2);
        b.lengths.push_back(length);
        for (std::size_t t = 0; t < length; ++t)
            b.xs(t, r, 0) = static_cast<float>(random.uniform(0, 1));
        b.xs(first, r, 1) = b.xs(second, r, 1) = 1;
        for (std::size_t t = 0; t < length; ++t) // after the end the outputs are zero, and so is the answer
            b.answer(t, r, 0) = b.xs(first, r, 0) + b.xs(second, r, 0);
    }
    return b;
}

} // namespace

int main() {
    // Which cells there are is in the type; how many directions, and what is dropped, is up to the program.
    sluice::stack<sluice::layers<sluice::gru, sluice::gru, sluice::dense>> net(
        {{.input = 2, .units = 12}, {.units = 12}, {.units = 1}},
        {.direction = sluice::direction::bidirectional, .dropout = 0.1}, sluice::seed{7});
    std::cout << print(net) << net.parameter_count() << " parameters\n";

    sluice::adam optimizer(net, {.learning_rate = 1e-2});
    sluice::random_stream random(sluice::seed{1}, "sequences");
    for (int step = 0; step < 400; ++step) {
        auto const [xs, answer, lengths] = draw(random);
        auto const state = net.zero_state(lengths.size());
        auto const run = sluice::unroll(net, xs, state, {.lengths = lengths}); // with dropout
        auto const loss = sluice::mean_squared_error(run.outputs, answer);
        auto gradients = sluice::backward(net, run, loss.gradient);
        sluice::clip_by_global_norm(1, gradients.parameters);
        optimizer.step(net, gradients.parameters);
        if (step % 100 == 0)
            std::cout << "step " << step << ": " << loss.loss() << '\n';
    }
    auto const [xs, answer, lengths] = draw(random);
    auto const outputs = sluice::infer(net, xs, net.zero_state(lengths.size()), {.lengths = lengths}).outputs;
    std::cout << "learnt: " << sluice::mean_squared_error(outputs, answer).loss() << '\n';

    // A stack in one direction runs as its input comes.
    sluice::stack<sluice::lstm> ears({.input = 2, .units = 12}, {.layers = 3}, sluice::seed{7});
    sluice::stream live(ears, 1);
    for (std::size_t t = 0; t < 3; ++t)
        std::cout << live.step(xt::view(xs, t, xt::range(0, 1)))(0, 0) << '\n';
}
