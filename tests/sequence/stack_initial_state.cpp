// SPDX-License-Identifier: BSL-1.0
// Stacks of cells whose states start at parameters: each layer and direction at its own.
#include "stack_check.hpp"

#include <sluice/check/gradient_check.hpp>

namespace stack_initial_state_test {

using namespace stacks;
using namespace sluice::literals;

namespace {

struct started {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        constexpr auto c = state<"c", 2>;
        return sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h"> + c * matrix<"C">),
                             next(c) = tanh(x * W<"c"> + c * p<"c">), initial(h) = vector<"h0">,
                             initial(c) = p<"c">);
    }();
};

} // namespace

TEST_CASE("initial states of stacks: gradients are those of differences") {
    for (direction way : {direction::unidirectional, direction::bidirectional}) {
        auto const net = shuffled(
            sluice::stack<started, double>({.input = 3, .units = 4}, {.layers = 2, .direction = way}));
        auto const xs = random_sequence<double>(4, 3, 3);
        auto const start = net.initial_state(3);
        auto const second = net.parameters().at(1);
        std::size_t const row = sluice::directions_of(way);
        CHECK(near(xt::xtensor<double, 1>(xt::view(start["h"_s], row, 2)),
                   xt::xtensor<double, 1>(second["h0"_s])));
        CHECK(same(unroll(net, xs, {.draw = 1}).outputs, unroll(net, xs, start, {.draw = 1}).outputs));
        CHECK(same(infer(net, xs).outputs, infer(net, xs, start).outputs));
        for (lengths_type const& lengths : {lengths_type{}, lengths_type{4, 0, 2}})
            CHECK(gradient_check(net, xs, {.lengths = lengths}).worst().largest < 1e-8);
        CHECK(gradient_check(net, xs, start).worst().largest < 1e-8);
    }
}

TEST_CASE("initial states of stacks: a stream starts there") {
    auto const net = shuffled(sluice::stack<started, double>({.input = 3, .units = 4}, {.layers = 2}));
    CHECK(equal_states(sluice::stream(net, 2).state(), net.initial_state(2)));
}

} // namespace stack_initial_state_test
