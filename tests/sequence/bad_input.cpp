// SPDX-License-Identifier: BSL-1.0
// What unroll, infer and backward of cells and of stacks refuse: the message names what was expected and what
// came, and nothing changes.
#include <doctest/doctest.h>
#include <mgu/mgu.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/xtensor/reference.hpp>
#include <string>
#include <support/nets.hpp>

namespace bad_input_test {

using namespace support;
using namespace sluice::literals;
using doctest::Contains;
using bad = std::invalid_argument;

namespace {

/// A cell, and the axis of rows that its states have not.
template <class Backend>
struct of_cell {
    using net = sluice::cell<::mgu, double, Backend>;
    static net make(std::size_t units = 5) { return shuffled(net({.input = 3, .units = units})); }
    static std::string in_rows(std::string const& shape) { return "[" + shape + "]"; }
};
/// Layers that read their sequences from their ends.
struct of_stack {
    using net = sluice::stack<::mgu, double>;
    static net make(std::size_t units = 5) {
        return shuffled(
            net({.input = 3, .units = units}, {.layers = 2, .direction = sluice::direction::reversed}));
    }
    static std::string in_rows(std::string const& shape) { return "[2, " + shape + "]"; }
};
#define ALL_NETS of_cell<sluice::xtensor::planned>, of_cell<sluice::xtensor::reference>, of_stack

/// f(key) for a parameter of each layer.
template <class Net, class F>
void for_each_layer(Net const&, F const& f) {
    if constexpr (sluice::any_stack<Net>)
        for (char const* const one : {"layer0/W_f", "layer1/W_f"})
            f(one);
    else
        f("W_f"_s);
}

} // namespace

TEST_CASE_TEMPLATE("bad input: unroll and infer refuse another rank, width, state or lengths", T, ALL_NETS) {
    auto const net = T::make();
    auto const parameters = net.parameters();
    auto const xs = random_sequence<double>(4, 2, 3);
    auto const start = random_states(net.zero_state(2), "start");
    auto const refuses = [&](auto const& sequence, auto const& state, lengths_type const& lengths,
                             std::string const& words) {
        CHECK_THROWS_WITH_AS(unroll(net, sequence, state, {.lengths = lengths}), Contains(words.c_str()),
                             bad);
        CHECK_THROWS_WITH_AS(infer(net, sequence, state, {.lengths = lengths}), Contains(words.c_str()), bad);
    };
    refuses(random_sequence<double>(4, 2, 5), start, {}, " of shape [time, batch, 3], but got [4, 2, 5]");
    refuses(xt::xarray<double>(xt::ones<double>({4, 3})), start, {}, "but got [4, 3]");
    refuses(xt::xarray<double>(xt::ones<double>({1, 4, 2, 3})), start, {}, "but got [1, 4, 2, 3]");
    refuses(random_sequence<double>(4, 3, 3), start, {},
            "a state h of shape " + T::in_rows("3, 5") + ", but got " + T::in_rows("2, 5"));
    refuses(xs, start, {1}, "one length for each of 2 sequences, but got 1");
    refuses(xs, start, {1, 2, 3}, "but got 3");
    refuses(xs, start, {4, 5}, "lengths of at most 4 steps, but got 5");
    refuses(xs, start, {0, static_cast<std::size_t>(-1)}, "at most 4 steps");
    auto other = T::make(4).zero_state(2);
    refuses(xs, other, {}, "a state h of shape " + T::in_rows("2, 5") + ", but got " + T::in_rows("2, 4"));
    refuses(xs, typename T::net::state_type{}, {}, "0, 0]");
    other = start;
    auto const taken = std::move(other);
    refuses(xs, other, {}, "a state was moved from");
    auto moved = xs;
    auto const taken_too = std::move(moved);
    refuses(moved, start, {}, "was moved from");

    CHECK(std::ranges::equal(net.parameters().values(), parameters.values()));
    auto const run = unroll(net, xs, start, {.lengths = {4, 0}});
    CHECK(run.outputs.shape() == std::array<std::size_t, 3>{4, 2, 5});
    CHECK(same_map(start, random_states(net.zero_state(2), "start")));
}

TEST_CASE_TEMPLATE(
    "bad input: backward refuses other shapes, a run without a tape, and parameters that have changed", T,
    ALL_NETS) {
    auto net = T::make();
    auto const xs = random_sequence<double>(4, 2, 3);
    auto const state = random_states(net.zero_state(2), "state");
    auto const run = unroll(net, xs, state, {.lengths = {4, 1}});
    auto const dys = random_like(run.outputs, "dys");
    auto const expected = backward(net, run, dys);
    auto const is_expected = [&](auto const& gradients) {
        CHECK(std::ranges::equal(gradients.parameters.values(), expected.parameters.values()));
        CHECK(same_bits(gradients.inputs, expected.inputs));
    };
    CHECK_THROWS_WITH_AS(backward(net, run, random_sequence<double>(3, 2, 5)),
                         Contains("gradients of the outputs of shape [4, 2, 5], but got [3, 2, 5]"), bad);
    CHECK_THROWS_AS(backward(net, run, random_sequence<double>(4, 2, 3)), bad);
    CHECK_THROWS_AS(backward(net, run, xt::xarray<double>(xt::ones<double>({4, 10}))), bad);
    std::string const of_state =
        "a gradient of the state h of shape " + T::in_rows("2, 5") + ", but got " + T::in_rows("3, 5");
    CHECK_THROWS_WITH_AS(backward(net, run, dys, net.zero_state(3)), Contains(of_state.c_str()), bad);
    is_expected(backward(net, run, dys));

    auto const before = net;
    for_each_layer(net, [&](auto const& key) {
        net.assign(key, 2 * net.parameters()[key]);
        CHECK_THROWS_WITH_AS(backward(net, run, dys), Contains("changed since"), std::logic_error);
        auto const changed = unroll(net, xs, state, {.lengths = {4, 1}});
        CHECK_NOTHROW(backward(net, changed, dys));
        net = before;
    });
    net.update_values([](auto) {});
    CHECK_THROWS_AS(backward(net, run, dys), std::logic_error);
    auto const again = unroll(net, xs, state, {.lengths = {4, 1}});
    CHECK(same_bits(again.outputs, run.outputs));
    is_expected(backward(net, again, dys));
}

TEST_CASE_TEMPLATE("bad input: backward depends on the tape alone", T, ALL_NETS) {
    auto const net = T::make();
    auto const xs = random_sequence<double>(4, 2, 3);
    auto run = unroll(net, xs, net.zero_state(2), {.lengths = {4, 1}});
    auto const dys = random_like(run.outputs, "dys");
    auto const expected = backward(net, run, dys);
    auto const is_expected = [&](auto const& of) {
        auto const gradients = backward(net, of, dys);
        CHECK(std::ranges::equal(gradients.parameters.values(), expected.parameters.values()));
        CHECK(same_bits(gradients.inputs, expected.inputs));
        CHECK(same_map(gradients.state, expected.state));
    };
    run.outputs = xt::ones<double>({1, 1, 5});
    run.state = net.zero_state(7);
    for (lengths_type const& others : {lengths_type{}, lengths_type{1}, lengths_type{9, 9, 9}}) {
        run.lengths = others;
        is_expected(run);
    }
    CHECK_THROWS_WITH_AS(backward(net, run, run.outputs),
                         Contains("gradients of the outputs of shape [4, 2, 5], but got [1, 1, 5]"), bad);
    auto const kept_outputs = std::move(run.outputs);
    is_expected(run);

    auto gradients = dys;
    auto const kept_gradients = std::move(gradients);
    CHECK_THROWS_WITH_AS(backward(net, run, gradients),
                         Contains("the gradient of the outputs was moved from"), bad);
    auto dstate = net.zero_state(2);
    auto const kept_dstate = std::move(dstate);
    CHECK_THROWS_WITH_AS(backward(net, run, dys, dstate), Contains("a gradient of the state was moved from"),
                         bad);

    auto const other = run;
    auto const moved = std::move(run);
    CHECK(!run.has_tape());
    CHECK_THROWS_WITH_AS(backward(net, run, dys), Contains("not one that was moved from"), std::logic_error);
    CHECK_THROWS_AS(backward(net, run, dys, kept_dstate), std::logic_error);
    CHECK_THROWS_AS(backward(net, decltype(run){}, dys), std::logic_error);
    for (auto const* again : {&other, &moved}) // a copy of a run, and more than once
        is_expected(*again);
    auto const outlives = [&] {
        auto const copy = net; // which has the same parameters
        return unroll(copy, xs, copy.zero_state(2), {.lengths = {4, 1}});
    }();
    is_expected(outlives);
}

} // namespace bad_input_test
