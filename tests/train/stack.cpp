// SPDX-License-Identifier: BSL-1.0
// A stack is trained as a cell is: by the array of its parameters, and their names.
#include <doctest/doctest.h>
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>
#include <support/tensors.hpp>

namespace stack_test {

using namespace support;
using doctest::Contains;
using bad = std::invalid_argument;

namespace {

using net_type = sluice::stack<sluice::gru, double>;

net_type make(std::size_t layers = 2, sluice::direction way = sluice::direction::bidirectional) {
    return net_type({.input = 3, .units = 4}, {.layers = layers, .direction = way, .dropout = 0.25},
                    sluice::seed{3});
}
struct task {
    xt::xtensor<double, 3> xs = random_sequence<double>(5, 6, 3);
    xt::xtensor<double, 3> target = 0.5 * random_sequence<double>(5, 6, 8, "target");

    double loss(net_type const& net) const {
        return sluice::mean_squared_error(infer(net, xs, net.zero_state(6)).outputs, target).loss();
    }
    auto gradients(net_type const& net) const {
        auto const run = unroll(net, xs, net.zero_state(6));
        return backward(net, run, sluice::mean_squared_error(run.outputs, target).gradient, {.inputs = false})
            .parameters;
    }
};

template <class Optimizer>
void check_training(Optimizer optimizer, net_type net) {
    task const work;
    double const before = work.loss(net);
    auto const frozen = xt::xarray<double>(net.parameters()["layer1/forward/W_r"]);
    optimizer.freeze("layer1/forward/W_r");
    optimizer.constrain("layer0/backward/b_n", [](std::span<double> values) {
        for (double& v : values)
            v = std::clamp(v, -0.01, 0.01);
    });
    for (int step = 0; step < 60; ++step) {
        auto g = work.gradients(net);
        sluice::clip_by_global_norm(1.0, g);
        optimizer.step(net, g);
    }
    CHECK(work.loss(net) < 0.9 * before);
    CHECK(net.parameters()["layer1/forward/W_r"] == frozen);
    CHECK(xt::amax(xt::abs(net.parameters()["layer0/backward/b_n"]))() == 0.01);
    CHECK(optimizer.is_frozen("layer1/forward/W_r"));
    CHECK_FALSE(optimizer.is_frozen("layer1/forward/W_u"));
    optimizer.unfreeze("layer1/forward/W_r");
    optimizer.step(net, work.gradients(net));
    CHECK(net.parameters()["layer1/forward/W_r"] != frozen);
    // what the cells run with is what was trained
    auto const copy = net;
    CHECK(same_bits(infer(net, work.xs, net.zero_state(6)).outputs,
                    infer(copy, work.xs, net.zero_state(6)).outputs));
    for (char const* unknown : {"layer2/forward/W_r", "W_r", "layer1/W_r", ""})
        CHECK_THROWS_WITH_AS(optimizer.freeze(unknown), Contains("there is no parameter"), bad);
}

} // namespace

TEST_CASE("stack: a stack learns with sgd and adam, clipped, with frozen and constrained parameters") {
    auto const net = make();
    check_training(sluice::sgd(net, {.learning_rate = 0.3, .momentum = 0.9}), net);
    check_training(sluice::adam(net, {.learning_rate = 0.02}), net);
}

TEST_CASE("stack: a penalty on a parameter of a layer; a step of sgd is that of its numbers") {
    auto net = make();
    sluice::penalty penalty(net);
    penalty.regularize("layer1/backward/R_n", {.l2 = 0.5});
    CHECK_THROWS_WITH_AS(penalty.regularize("layer9/R_n", {.l2 = 0.5}), Contains("layer9/R_n"), bad);
    auto g = net.zero_parameters();
    penalty.add_gradient(net, g);
    CHECK(g["layer1/backward/R_n"] == net.parameters()["layer1/backward/R_n"]);
    CHECK(all_zero(g["layer1/forward/R_n"]));
    CHECK(penalty.loss(net) ==
          doctest::Approx(0.5 * xt::sum(xt::square(net.parameters()["layer1/backward/R_n"]))()));

    task const work;
    auto const gradients = work.gradients(net);
    std::vector<double> expected(net.parameters().values().begin(), net.parameters().values().end());
    for (std::size_t i = 0; i < expected.size(); ++i)
        expected[i] -= 0.1 * gradients.values()[i];
    sluice::sgd plain(net, {.learning_rate = 0.1});
    plain.step(net, gradients);
    for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK(net.parameters().values()[i] == doctest::Approx(expected[i]));
}

TEST_CASE("stack: what was made for another stack is refused, and changes nothing") {
    auto net = make(), deeper = make(3), other = make(4, sluice::direction::unidirectional);
    sluice::sgd optimizer(net);
    sluice::penalty penalty(net);
    for (char const* one : {"layer0/forward/W_r", "layer1/backward/b_n"})
        penalty.regularize(one, {.l2 = 1});
    for (net_type* one : {&deeper, &other}) {
        std::vector<double> const before(one->parameters().values().begin(),
                                         one->parameters().values().end());
        auto g = one->zero_parameters();
        CHECK_THROWS_AS(optimizer.step(*one, g), bad);
        CHECK_THROWS_AS(optimizer.step(net, g), bad);
        if (one == &deeper) {
            CHECK_THROWS_WITH_AS(
                optimizer.step(*one, g),
                Contains("that it was made for, with a parameter for each of 36 parameters, but got 54"),
                bad);
            CHECK_THROWS_WITH_AS(
                (void)penalty.loss(*one),
                Contains("the cell that it was made for, with 36 parameters, but got one with 54"), bad);
        }
        CHECK_THROWS_AS(penalty.add_gradient(net, g), bad);
        CHECK(std::ranges::equal(before, one->parameters().values()));
    }
    auto moved = std::move(deeper);
    CHECK_THROWS_WITH_AS(optimizer.step(deeper, net.zero_parameters()), Contains("was moved from"), bad);
    CHECK_THROWS_AS(sluice::sgd{deeper}, bad);
    CHECK_THROWS_AS(sluice::penalty{deeper}, bad);
}

} // namespace stack_test
