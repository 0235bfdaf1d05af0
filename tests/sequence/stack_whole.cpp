// SPDX-License-Identifier: BSL-1.0
// A backend that knows whole stacks is offered each once, and runs those that it takes.
#include <doctest/doctest.h>
#include <sluice/sluice.hpp>
#include <support/tensors.hpp>
#include <support/whole.hpp>

using support::events;

namespace {

using words = std::vector<std::string>;

template <class S>
using net_of = sluice::stack<sluice::gru, S, support::whole_stacks>;

} // namespace

TEST_CASE_TEMPLATE("stack: one that a backend takes runs there, in one call each", S, float, double) {
    events().clear();
    net_of<S> net({.input = 3, .units = 5}, {.layers = 2, .direction = sluice::direction::bidirectional});
    CHECK(events() == words{"offered", "refresh"});
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
    auto const gradients = sluice::backward(net, run, run.outputs, {.inputs = false});
    CHECK(gradients.parameters.values()[0] == 7);
    CHECK(gradients.inputs(0, 0, 0) == 3);
    CHECK(events() == words{"infer", "forward 6", "backward without inputs"});

    events().clear();
    net.update_values([](auto values) { values[0] = 1; });
    CHECK(sluice::infer(net, xs, state).outputs(0, 0, 0) == 11);
    auto copy = net;
    net.assign("layer0/forward/W_r", xt::xtensor<S, 2>(xt::ones<S>({3, 5}) * 2));
    CHECK(sluice::infer(net, xs, state).outputs(0, 0, 0) == 12);
    CHECK(sluice::infer(copy, xs, state).outputs(0, 0, 0) == 11);
    CHECK(events() == words{"refresh", "infer", "refresh", "refresh", "infer", "infer"}); // the copy, too
    CHECK_THROWS_WITH_AS(sluice::backward(net, run, run.outputs), doctest::Contains("have changed"),
                         std::logic_error);
    CHECK_THROWS_AS(sluice::infer(net, support::random_tensor<S, 3>({4, 2, 4}, "xs"), state),
                    std::invalid_argument);
}

TEST_CASE("stack: one that a backend does not take runs layer by layer, and the reason is there") {
    events().clear();
    net_of<double> net({.input = 3, .units = 5}, {.layers = 3}, sluice::seed{7});
    CHECK(events() == words{"offered"});
    CHECK(net.why_not_whole() == "it takes two layers, and these are 3");
    sluice::stack<sluice::gru, double> plain({.input = 3, .units = 5}, {.layers = 3}, sluice::seed{7});
    CHECK(plain.why_not_whole() == "the backend runs stacks layer by layer");
    auto const xs = support::random_tensor<double, 3>({4, 2, 3}, "xs");
    CHECK(sluice::unroll(net, xs, net.zero_state(2)).outputs ==
          sluice::unroll(plain, xs, plain.zero_state(2)).outputs);
    CHECK(events() == words{"offered"});
}
