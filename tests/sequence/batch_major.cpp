// SPDX-License-Identifier: BSL-1.0
// Batch-major sequences, and what a stack says about itself.
#include <doctest/doctest.h>
#include <sluice/cell/adapt/zoneout.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/sluice.hpp>
#include <sluice/xtensor.hpp>
#include <support/tensors.hpp>

TEST_CASE_TEMPLATE("batch_major: cells and stacks read it, and it is its own inverse", S, float, double) {
    sluice::stack<sluice::gru, S> net({.input = 5, .units = 4}, {.layers = 2}, sluice::seed{7});
    auto const xs = support::random_tensor<S, 3>({2, 6, 5}, "xs"); // [batch, time, input]
    xt::xtensor<S, 3> const by_time = sluice::batch_major(xs);
    CHECK(by_time.shape() == std::array<std::size_t, 3>{6, 2, 5});
    for (std::size_t t = 0; t < 6; ++t)
        CHECK(xt::view(by_time, t, 1) == xt::view(xs, 1, t));
    xt::xtensor<S, 3> const again = sluice::batch_major(sluice::batch_major(xs));
    CHECK(again == xs);
    auto const ys = sluice::infer(net, by_time, net.zero_state(2)).outputs;
    CHECK(sluice::infer(net, sluice::batch_major(xs), net.zero_state(2)).outputs == ys);
    CHECK(sluice::infer(net.cell(0), sluice::batch_major(xs), net.cell(0).zero_state(2)).outputs ==
          sluice::infer(net.cell(0), by_time, net.cell(0).zero_state(2)).outputs);
}

TEST_CASE("print: a stack says what it is made of") {
    using way = sluice::direction;
    sluice::stack<sluice::layers<sluice::tanh_rnn, sluice::tanh_rnn, sluice::dense>> net(
        {{.input = 5, .units = 4}, {.units = 8}, {.units = 2}},
        {.direction = way::bidirectional, .dropout = 0.25});
    CHECK(print(net) == "3 layers, bidirectional\n"
                        "dropout between layers: 0.25\n"
                        "layer 0: 5 -> 2 x 4\n"
                        "next(h) = tanh(x W_h + h R_h + b_h)\n"
                        "layer 1: 8 -> 2 x 8, the same equations\n"
                        "layer 2: 16 -> 2\n"
                        "output = x W_y + b_y\n");
    sluice::stack<sluice::zoneout<sluice::tanh_rnn>> one(
        {.input = 4, .units = 4},
        {.direction = way::reversed, .variational = true, .zoneout = 0.1, .residual = sluice::residual::all});
    CHECK(print(one) == "1 layer, reversed\n"
                        "zoneout: 0.1\n"
                        "layer 0: 4 -> 4, plus its input\n" +
                            std::string(sluice::print<sluice::zoneout<sluice::tanh_rnn>>().view()));
}
