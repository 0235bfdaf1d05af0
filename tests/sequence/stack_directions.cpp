// SPDX-License-Identifier: BSL-1.0
// Directions against each other: a stack of each, with the same parameters.
#include "stack_check.hpp"
#include <sluice/cells/gru.hpp>

namespace stack_directions_test {

using namespace stacks;
using namespace sluice::literals;

namespace {

using net_type = sluice::stack<sluice::gru, double>;

net_type make(direction way, std::size_t layers = 1) {
    return net_type({.input = 3, .units = 5}, {.layers = layers, .direction = way});
}
template <class Cell>
void give(net_type& net, std::string prefix, Cell const& from) {
    sluice::for_each_parameter(
        from.parameters(), [&](auto key, auto const& values) { net.assign(prefix + key.c_str(), values); });
}

} // namespace

TEST_CASE("stack directions: a reversed stack reads each sequence from its own end") {
    auto const net = shuffled(make(direction::reversed, 2));
    auto forward = make(direction::unidirectional, 2);
    forward.update_values(
        [&](std::span<double> all) { std::ranges::copy(net.parameters().values(), all.begin()); });
    for (lengths_type const& lengths : {lengths_type{}, lengths_type{5, 1, 0, 3}}) {
        auto const xs = padded_with_nan(random_sequence<double>(5, 4, 3), lengths);
        auto const start = random_states(net.zero_state(4), "start");
        auto const run = unroll(net, xs, start, {.lengths = lengths});
        auto const other = unroll(forward, flipped(xs, lengths), start, {.lengths = lengths});
        CHECK(same_bits(run.outputs, flipped(other.outputs, lengths)));
        CHECK(same_bits(run.state["h"_s], other.state["h"_s]));
        auto const dys = random_like(run.outputs, "dys");
        auto const g = backward(net, run, dys);
        auto const of_other = backward(forward, other, flipped(dys, lengths));
        CHECK(same_bits(g.inputs, flipped(of_other.inputs, lengths)));
        CHECK(std::ranges::equal(g.parameters.values(), of_other.parameters.values()));
    }
}

TEST_CASE("stack directions: a bidirectional layer is a forward one beside a backward one") {
    auto const net = shuffled(make(direction::bidirectional));
    auto forward = make(direction::unidirectional), back = make(direction::reversed);
    give(forward, "layer0/", net.cell(0, 0));
    give(back, "layer0/", net.cell(0, 1));
    lengths_type const lengths{5, 1, 0, 3};
    auto const xs = random_sequence<double>(5, 4, 3);
    auto const start = random_states(net.zero_state(4), "start");
    auto from = forward.zero_state(4), from_end = from;
    xt::view(from["h"_s], 0) = xt::view(start["h"_s], 0);
    xt::view(from_end["h"_s], 0) = xt::view(start["h"_s], 1);
    auto const run = unroll(net, xs, start, {.lengths = lengths});
    auto const a = unroll(forward, xs, from, {.lengths = lengths});
    auto const b = unroll(back, xs, from_end, {.lengths = lengths});
    CHECK(same_bits(run.outputs, beside(a.outputs, b.outputs)));
    CHECK_FALSE(near(a.outputs, b.outputs));
    CHECK(xt::view(run.state["h"_s], 0) == xt::view(a.state["h"_s], 0));
    CHECK(xt::view(run.state["h"_s], 1) == xt::view(b.state["h"_s], 0));
    // a forward state is that of the last step, a backward one that of the first
    CHECK(xt::view(run.state["h"_s], 0, 3) == xt::view(run.outputs, 2, 3, xt::range(0, 5)));
    CHECK(xt::view(run.state["h"_s], 1, 3) == xt::view(run.outputs, 0, 3, xt::range(5, 10)));
    CHECK(xt::view(run.state["h"_s], 1, 2) == xt::view(start["h"_s], 1, 2));
}

TEST_CASE(
    "stack directions: row of the states = layer x directions + direction; each row goes to its own cell") {
    auto const net = shuffled(make(direction::bidirectional, 3));
    auto const xs = random_sequence<double>(2, 1, 3);
    auto state = net.zero_state(1);
    CHECK(state["h"_s].shape() == std::array<std::size_t, 3>{6, 1, 5});
    auto const none = infer(net, xs, state);
    for (std::size_t row = 0; row < 6; ++row) {
        CAPTURE(row);
        auto moved = state;
        xt::view(moved["h"_s], row) = 0.5;
        auto const found = infer(net, xs, moved);
        for (std::size_t other = 0; other < 6; ++other) {
            CAPTURE(other);
            bool const may_change = other == row || other / 2 > row / 2; // itself, and the layers after it
            CHECK((xt::view(found.state["h"_s], other) != xt::view(none.state["h"_s], other)) == may_change);
        }
    }
}

TEST_CASE("stack directions: no steps, and no sequences") {
    for (direction way : {direction::unidirectional, direction::bidirectional, direction::reversed}) {
        auto const net = shuffled(make(way, 2));
        auto const start = random_states(net.zero_state(3), "start");
        auto const none = unroll(net, random_sequence<double>(0, 3, 3), start);
        CHECK(none.outputs.shape() == std::array<std::size_t, 3>{0, 3, net.output_size()});
        CHECK(same_map(none.state, start));
        auto const dstate = random_states(start, "dstate");
        auto const g = backward(net, none, none.outputs, dstate);
        CHECK(same_map(g.state, dstate));
        CHECK(all_zero(g.parameters.at(1)["W_r"_s]));

        auto const empty = unroll(net, random_sequence<double>(4, 0, 3), net.zero_state(0));
        CHECK(empty.outputs.shape() == std::array<std::size_t, 3>{4, 0, net.output_size()});
        auto const of_empty = backward(net, empty, empty.outputs);
        CHECK(of_empty.inputs.shape() == std::array<std::size_t, 3>{4, 0, 3});
        CHECK(all_zero(of_empty.parameters.at(0)["W_r"_s]));
        CHECK(infer(net, random_sequence<double>(0, 0, 3), net.zero_state(0)).outputs.size() == 0);
    }
}

} // namespace stack_directions_test
