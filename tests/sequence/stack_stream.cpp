// SPDX-License-Identifier: BSL-1.0
// stream of a stack: layers of all kinds, and what fits besides.
#include "stack_check.hpp"
#include "stream_check.hpp"

#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>

namespace stack_stream_test {

using namespace stacks;
using doctest::Contains;

namespace {

using net_type = sluice::stack<sluice::gru, double>;
constexpr sluice::sizes given{.input = 3, .units = 5};

net_type make(sluice::stack_options const& how = {.layers = 2}) {
    return shuffled(net_type(given, how));
}
xt::xtensor<double, 2> x_of(std::size_t batch) {
    return random_tensor<double, 2>({batch, 3}, "x");
}

} // namespace

TEST_CASE_TEMPLATE("stream of a stack: its steps are those of infer", S, float, double) {
    using stack_type = sluice::stack<sluice::gru, S>;
    for (residual added : {residual::none, residual::between_layers, residual::all})
        for (std::size_t layers : {1u, 2u, 3u})
            stream::check(shuffled(
                stack_type({.input = 5, .units = 5}, {.layers = layers, .dropout = 0.5, .residual = added})));
}
TEST_CASE("stream of a stack: on the reference backend") {
    using stack_type = sluice::stack<two_states, double, sluice::xtensor::reference>;
    stream::check(shuffled(stack_type(given, {.layers = 3, .residual = residual::between_layers})));
}
TEST_CASE("stream of a stack: different pages, also without a state") {
    using stack_type = sluice::stack<sluice::layers<two_states, sluice::dense, two_states>, float>;
    stack_type const net({{.input = 4, .units = 5}, {.units = 3}, {.units = 2}},
                         {.residual = residual::between_layers});
    stream::check(shuffled(net));
}

TEST_CASE("stream of a stack: one that reads sequences from their ends has none; sums may come and go") {
    for (direction way : {direction::bidirectional, direction::reversed}) {
        auto const other = make({.layers = 2, .direction = way});
        CHECK_THROWS_WITH_AS(sluice::stream(other, 2), Contains("use infer, or a unidirectional stack"),
                             std::invalid_argument);
    }
    auto net = make();
    sluice::stream live(net, 2);
    auto const x = x_of(2);
    live.step(x);
    auto const before = live.state();
    net = make({.layers = 2, .residual = residual::between_layers}); // fits
    CHECK(near(live.step(x), stream::one_step(net, x, before).first));
}

namespace {
/// A hidden layer, whose width shows neither outside nor in a state.
struct hidden {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(gate<"a"> = tanh(x * W<"a">), output = gate<"a"> * matrix<"V", projection>);
    }();
};
} // namespace

TEST_CASE("stream of a stack: sizes that show nowhere outside are looked at too") {
    using stack_type = sluice::stack<hidden, double>;
    stack_type net({.input = 3, .units = 2, .projection = 3}, {.layers = 2});
    sluice::stream live(net, 2);
    live.step(x_of(2));
    net = stack_type({.input = 3, .units = 90, .projection = 3}, {.layers = 2});
    CHECK_THROWS_WITH_AS(live.step(x_of(2)), Contains("has got other layers"), std::logic_error);
}

} // namespace stack_stream_test
