// SPDX-License-Identifier: BSL-1.0
// A backend that knows whole stacks is offered each once, and runs those that it takes.
#include <doctest/doctest.h>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/sluice.hpp>
#include <support/tensors.hpp>
#include <support/whole.hpp>

namespace stack_whole_test {

using support::events;

namespace {

using words = std::vector<std::string>;

template <class S>
using net_of = sluice::stack<sluice::gru, S, support::whole_stacks>;

} // namespace

TEST_CASE_TEMPLATE("stack: one that a backend takes runs there, in one call each", S, float, double) {
    events().clear();
    net_of<S> net({.input = 3, .units = 5}, {.layers = 2, .direction = sluice::direction::bidirectional});
    CHECK(events() == words{"offered", "make", "refresh"});
    CHECK(net.is_whole());
    CHECK(net.why_not_whole() == "");
    S const first = net.parameters().values()[0];
    auto const xs = support::random_tensor<S, 3>({4, 2, 3}, "xs");
    auto const state = net.zero_state(2);

    events().clear();
    auto const inferred = sluice::infer(net, xs, state);
    CHECK(inferred.outputs.shape() == std::array<std::size_t, 3>{4, 2, 10});
    CHECK(inferred.outputs(3, 1, 9) == first + 10);
    auto const run = sluice::unroll(net, xs, state, {.draw = 6});
    CHECK(run.outputs(0, 0, 0) == first + 20);
    auto const gradients = sluice::backward(net, run, run.outputs);
    CHECK(gradients.parameters.values()[0] == 7);
    CHECK(gradients.inputs(3, 1, 2) == 3);
    CHECK(sluice::backward(net, run, run.outputs, {.inputs = false}).inputs.size() == 0);
    CHECK(events() == words{"infer", "forward 6", "backward", "backward without inputs"});

    events().clear();
    net.update_values([](auto values) { values[0] = 1; });
    CHECK(sluice::infer(net, xs, state).outputs(0, 0, 0) == 11);
    auto copy = net;
    net.assign("layer0/forward/W_r", xt::xtensor<S, 2>(xt::ones<S>({3, 5}) * 2));
    CHECK(sluice::infer(net, xs, state).outputs(0, 0, 0) == 12);
    CHECK(sluice::infer(copy, xs, state).outputs(0, 0, 0) == 11);
    // The copy has an engine of its own.
    CHECK(events() == words{"refresh", "infer", "copy", "refresh", "infer", "infer"});
    CHECK_THROWS_WITH_AS(sluice::backward(net, run, run.outputs), doctest::Contains("have changed"),
                         std::logic_error);
    CHECK_THROWS_AS(sluice::infer(net, support::random_tensor<S, 3>({4, 2, 4}, "xs"), state),
                    std::invalid_argument);
}

TEST_CASE("stack: one that a backend does not take runs layer by layer, and the reason is there") {
    events().clear();
    net_of<double> net({.input = 3, .units = 5}, {.layers = 3}, sluice::seed{7});
    CHECK(events() == words{"offered"});
    CHECK_FALSE(net.is_whole());
    CHECK(net.why_not_whole() == "it takes two layers, and these are 3");
    sluice::stack<sluice::gru, double> plain({.input = 3, .units = 5}, {.layers = 3}, sluice::seed{7});
    CHECK(plain.why_not_whole() == "the backend runs stacks layer by layer");
    auto const xs = support::random_tensor<double, 3>({4, 2, 3}, "xs");
    CHECK(sluice::unroll(net, xs, net.zero_state(2)).outputs ==
          sluice::unroll(plain, xs, plain.zero_state(2)).outputs);
    CHECK(events() == words{"offered"});
}

TEST_CASE(
    "stack: sequences with resets run layer by layer, whoever took the stack, and so does their way back") {
    sluice::stack_options const how{.layers = 2};
    net_of<double> const net({.input = 3, .units = 5}, how, sluice::seed{7});
    sluice::stack<sluice::gru, double> const plain({.input = 3, .units = 5}, how, sluice::seed{7});
    auto const xs = support::random_tensor<double, 3>({4, 2, 3}, "xs");
    auto const state = net.zero_state(2);
    xt::xtensor<bool, 2> resets = xt::zeros<bool>({4, 2});
    resets(2, 1) = true;

    events().clear();
    CHECK(sluice::infer(net, xs, state, {.resets = resets}).outputs ==
          sluice::infer(plain, xs, state, {.resets = resets}).outputs);
    auto const run = sluice::unroll(net, xs, state, {.resets = resets});
    auto const expected = sluice::unroll(plain, xs, state, {.resets = resets});
    CHECK(run.outputs == expected.outputs);
    auto const found = sluice::backward(net, run, xt::xtensor<double, 3>(run.outputs));
    CHECK(found.inputs == sluice::backward(plain, expected, expected.outputs).inputs);
    CHECK(events().empty());

    auto const whole = sluice::unroll(net, xs, state, {.draw = 1});
    sluice::backward(net, whole, whole.outputs);
    CHECK(events() == words{"forward 1", "backward"});
}

TEST_CASE("stack: a backend that takes one sees the settings of each cell") {
    sluice::stack<sluice::lstm, double, support::whole_stacks> net(
        {.input = 3, .units = 5}, {.layers = 2, .direction = sluice::direction::bidirectional}, {},
        {{"forget_bias", 3.}});
    auto const numbers = [&] {
        std::vector<double> all;
        for (auto const& layer : net.as_net().layers)
            for (auto const& cell : layer.ways)
                all.insert(all.end(), cell.settings.begin(), cell.settings.end());
        return all;
    };
    CHECK(numbers() == std::vector<double>(4, 3.));
    net.visit_tensors([](std::string_view called, auto, auto values) {
        if (called == "layer1/backward/forget_bias")
            values[0] = 2;
    });
    CHECK(numbers() == std::vector<double>{3, 3, 3, 2});
}

} // namespace stack_whole_test
