// SPDX-License-Identifier: BSL-1.0
// What stacks refuse: the message names what was expected and what came, and nothing changes.
#include "stack_check.hpp"
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>

namespace stack_bad_input_test {

using namespace stacks;
using namespace sluice::literals;
using doctest::Contains;
using bad = std::invalid_argument;

namespace {

using net_type = sluice::stack<sluice::gru, double>;
using listed = sluice::stack<sluice::layers<sluice::lstm, sluice::gru>, double>;
constexpr sluice::sizes given{.input = 3, .units = 5};
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t huge = std::size_t(1) << 63;

/// Its second state is as wide as its input.
struct remembers_input {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        constexpr auto last = state<"last", size<"input">>;
        return sluice::lines(next(last) = x, output = tanh(x * W<"y"> + last * W<"l">));
    }();
};
/// Its input has a width of its own.
struct of_four {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(output = tanh(input<"x", 4> * W<"y">));
    }();
};

} // namespace

TEST_CASE("stack bad input: no stack of sizes, numbers of layers and options that make none") {
    CHECK_THROWS_WITH_AS(net_type(given, {.layers = 0}), Contains("at least one layer, but .layers is 0"),
                         bad);
    for (std::size_t const layers : {huge, huge - 1, std::size_t(-1)})
        CHECK_THROWS_WITH_AS(net_type(given, {.layers = layers}), Contains("more numbers than memory can"),
                             bad);
    CHECK_THROWS_AS(net_type(given, {.layers = huge, .direction = direction::bidirectional}), bad);
    CHECK_THROWS_WITH_AS(net_type({.input = 3}), Contains("units"), bad);
    CHECK_THROWS_WITH_AS(net_type({.units = 5}, {.layers = 2}), Contains("input"), bad);
    CHECK_THROWS_AS(net_type({.input = 3, .units = huge}, {.layers = 2}), bad);
    CHECK_THROWS_AS(net_type({.input = 3, .units = huge / 2}, {.direction = direction::bidirectional}), bad);
    CHECK_THROWS_AS(net_type({.input = 3, .units = 5, .projection = 2}), bad);
    CHECK_THROWS_AS(net_type(given, {}, {}, {{"leak", 1}}), bad); // no such setting
    for (double const rate : {not_a_number, -0.1, 1.1, std::numeric_limits<double>::infinity()})
        CHECK_THROWS_WITH_AS(net_type(given, {.dropout = rate}),
                             Contains("a rate between 0 and 1, but it is"), bad);
    for (int const number : {7, 3, -1}) {
        CHECK_THROWS_WITH_AS(net_type(given, {.direction = static_cast<direction>(number)}),
                             Contains(("reversed, but it is number " + std::to_string(number)).c_str()), bad);
        CHECK_THROWS_WITH_AS(net_type(given, {.residual = static_cast<residual>(number)}),
                             Contains(("all, but it is number " + std::to_string(number)).c_str()), bad);
    }
    CHECK_THROWS_WITH_AS(net_type(given, {.layers = 2, .residual = residual::all}),
                         Contains("as many outputs as inputs, but layer 0 has 5 outputs and 3 inputs"), bad);
    CHECK_THROWS_WITH_AS(net_type({.input = 5, .units = 5},
                                  {.direction = direction::bidirectional, .residual = residual::all}),
                         Contains("10 outputs and 5 inputs"), bad);
    CHECK_NOTHROW(net_type(given, {.layers = 2, .residual = residual::between_layers}));
}

TEST_CASE("stack bad input: no stack of different pages without the sizes of each") {
    CHECK_THROWS_WITH_AS(listed({}), Contains("2 pages expects as many sizes, but got 0"), bad);
    CHECK_THROWS_WITH_AS(listed({given}), Contains("but got 1"), bad);
    CHECK_THROWS_WITH_AS(listed({given, given, given}), Contains("but got 3"), bad);
    CHECK_THROWS_WITH_AS(
        listed({given, {.input = 4, .units = 2}}),
        Contains("layer 1 of a stack reads the 5 outputs of the layer before it, but .input = 4 was given"),
        bad);
    CHECK_NOTHROW(listed({given, {.input = 5, .units = 2}}));
    CHECK_THROWS_AS(listed({given, {.input = 5, .units = 2}}, {.direction = direction::bidirectional}), bad);
    CHECK_THROWS_WITH_AS(listed({given, {.units = 2}}, {.layers = 5}),
                         Contains("a stack of 2 pages has as many layers, but .layers = 5"), bad);
    CHECK_NOTHROW(listed({given, {.units = 2}}, {.layers = 2}));
    CHECK_THROWS_WITH_AS(listed({given, {.units = 2}}, {.residual = residual::between_layers}),
                         Contains("layer 1 has 2 outputs and 5 inputs"), bad);
    CHECK_THROWS_AS(listed({given, {}}), bad);
}

TEST_CASE("stack bad input: layers whose page says widths itself") {
    using remembering = sluice::stack<remembers_input, double>;
    CHECK_NOTHROW(remembering({.input = 5, .units = 5}, {.layers = 3}));
    CHECK_NOTHROW(remembering({.input = 3, .units = 5}));
    CHECK_THROWS_WITH_AS(remembering({.input = 3, .units = 5}, {.layers = 2}),
                         Contains("the state last of layer 0 has width 3 and that of layer 1 has 5"), bad);
    sluice::stack<sluice::layers<remembers_input, remembers_input>, double> const apart(
        {{.input = 3, .units = 5}, {.units = 2}});
    CHECK(apart.zero_state(1).get<1>()["last"_s].shape()[2] == 5);

    using fixed = sluice::stack<of_four, double>;
    CHECK(fixed({.units = 4}, {.layers = 3}).output_size() == 4);
    CHECK_THROWS_WITH_AS(fixed({.units = 5}, {.layers = 2}),
                         Contains("layer 1 of a stack reads 4 features, but the layer before it gives 5"),
                         bad);
}

TEST_CASE("stack bad input: states and runs of another stack are refused") {
    auto const net = shuffled(net_type(given, {.layers = 3, .direction = direction::bidirectional}));
    auto const xs = random_sequence<double>(4, 2, 3);
    auto of_one = net.zero_state(2);
    of_one["h"_s] = xt::ones<double>({3, 2, 5}); // those of one direction
    CHECK_THROWS_WITH_AS(infer(net, xs, of_one),
                         Contains("a stack expects a state h of shape [6, 2, 5], but got [3, 2, 5]"), bad);
    auto moved = xs;
    auto const taken = std::move(moved);
    CHECK_THROWS_WITH_AS(infer(net, moved, net.zero_state(2)), Contains("the xs of a stack was moved from"),
                         bad);
    CHECK_THROWS_AS(net.zero_state(huge), bad);
    auto const run = unroll(net, xs, net.zero_state(2));
    auto const other = shuffled(net_type(given, {.layers = 1}));
    CHECK_THROWS_AS(backward(other, run, run.outputs), std::logic_error);
}

TEST_CASE("states of different pages: the message names the layer") {
    listed const net({given, {.units = 2}});
    auto state = net.zero_state(2);
    state.get<1>()["h"_s] = xt::ones<double>({1, 2, 5});
    CHECK_THROWS_WITH_AS(infer(net, random_sequence<double>(4, 2, 3), state),
                         "sluice: a stack expects a state layer1/h of shape [1, 2, 2], but got [1, 2, 5]",
                         bad);
}

} // namespace stack_bad_input_test
