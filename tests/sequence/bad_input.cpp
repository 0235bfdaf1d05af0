// SPDX-License-Identifier: BSL-1.0
// What unroll and backward refuse: the message names what was expected and what came, and nothing changes.
#include <doctest/doctest.h>
#include <mgu/mgu.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/tensors.hpp>

namespace bad_input_test {

using namespace support;
using namespace sluice::literals;
using doctest::Contains;
using bad = std::invalid_argument;

namespace {

template <class Backend>
using cell_of = sluice::cell<::mgu, double, Backend>;

} // namespace

TEST_CASE_TEMPLATE("bad input: unroll refuses another rank, width, state or lengths", Backend,
                   sluice::xtensor::planned, sluice::xtensor::reference) {
    cell_of<Backend> const cell({.input = 3, .units = 5});
    auto const parameters = cell.parameters();
    auto const xs = random_sequence<double>(4, 2, 3);
    auto state = random_map(cell.zero_state(2), "state");
    auto const before = state;

    CHECK_THROWS_WITH_AS(unroll(cell, random_sequence<double>(4, 2, 5), state),
                         Contains("expects x of shape [time, batch, 3], but got [4, 2, 5]"), bad);
    CHECK_THROWS_WITH_AS(unroll(cell, xt::xarray<double>(xt::ones<double>({4, 3})), state),
                         Contains("but got [4, 3]"), bad);
    CHECK_THROWS_WITH_AS(unroll(cell, xt::xarray<double>(xt::ones<double>({1, 4, 2, 3})), state),
                         Contains("but got [1, 4, 2, 3]"), bad);
    CHECK_THROWS_WITH_AS(unroll(cell, random_sequence<double>(4, 3, 3), state),
                         Contains("a state h of shape [3, 5], but got [2, 5]"), bad);
    CHECK_THROWS_WITH_AS(unroll(cell, xs, state, {.lengths = {1}}),
                         Contains("one length for each of 2 sequences, but got 1"), bad);
    CHECK_THROWS_WITH_AS(unroll(cell, xs, state, {.lengths = {1, 2, 3}}), Contains("but got 3"), bad);
    CHECK_THROWS_WITH_AS(unroll(cell, xs, state, {.lengths = {4, 5}}),
                         Contains("lengths of at most 4 steps, but got 5"), bad);
    CHECK_THROWS_AS(unroll(cell, xs, state, {.lengths = {0, static_cast<std::size_t>(-1)}}), bad);
    state["h"_s] = xt::ones<double>({2, 4});
    CHECK_THROWS_WITH_AS(unroll(cell, xs, state), Contains("a state h of shape [2, 5], but got [2, 4]"), bad);

    CHECK(same_map(cell.parameters(), parameters));
    state = before;
    auto const run = unroll(cell, xs, state, {.lengths = {4, 0}});
    CHECK(run.outputs.shape() == std::array<std::size_t, 3>{4, 2, 5});
    CHECK(same_map(state, before));
}

TEST_CASE_TEMPLATE(
    "bad input: backward refuses other shapes, a run without a tape, and parameters that have changed",
    Backend, sluice::xtensor::planned, sluice::xtensor::reference) {
    cell_of<Backend> cell({.input = 3, .units = 5});
    auto const xs = random_sequence<double>(4, 2, 3);
    auto const state = random_map(cell.zero_state(2), "state");
    auto const run = unroll(cell, xs, state);
    auto const dys = random_like(run.outputs, "dys");
    auto const expected = backward(cell, run, dys);

    CHECK_THROWS_WITH_AS(backward(cell, run, random_sequence<double>(3, 2, 5)),
                         Contains("gradients of the outputs of shape [4, 2, 5], but got [3, 2, 5]"), bad);
    CHECK_THROWS_AS(backward(cell, run, random_sequence<double>(4, 2, 3)), bad);
    CHECK_THROWS_AS(backward(cell, run, xt::xarray<double>(xt::ones<double>({4, 10}))), bad);
    CHECK_THROWS_WITH_AS(backward(cell, run, dys, cell.zero_state(3)),
                         Contains("a gradient of the state h of shape [2, 5], but got [3, 5]"), bad);
    CHECK(same_map(backward(cell, run, dys).parameters, expected.parameters));

    auto const parameters = cell.parameters();
    cell.assign("W_f"_s, 2 * parameters["W_f"_s]);
    CHECK_THROWS_WITH_AS(backward(cell, run, dys), Contains("changed since"), std::logic_error);
    auto const changed = unroll(cell, xs, state);
    CHECK_NOTHROW(backward(cell, changed, dys));
    cell.update([](auto, std::span<double>) {});
    CHECK_THROWS_AS(backward(cell, changed, dys), std::logic_error);
    cell.assign("W_f"_s, parameters["W_f"_s]);
    auto const restored = unroll(cell, xs, state);
    CHECK(same_bits(restored.outputs, run.outputs));
    CHECK(same_map(backward(cell, restored, dys).parameters, expected.parameters));
}

TEST_CASE_TEMPLATE("bad input: backward depends on the tape alone", Backend, sluice::xtensor::planned,
                   sluice::xtensor::reference) {
    cell_of<Backend> const cell({.input = 3, .units = 5});
    auto const xs = random_sequence<double>(4, 2, 3);
    auto run = unroll(cell, xs, cell.zero_state(2), {.lengths = {4, 1}});
    auto const dys = random_like(run.outputs, "dys");
    auto const expected = backward(cell, run, dys);

    run.outputs = xt::ones<double>({1, 1, 5});
    run.state["h"_s] = xt::ones<double>({7, 5});
    run.lengths.clear();
    CHECK(same_map(backward(cell, run, dys).parameters, expected.parameters));
    CHECK_THROWS_WITH_AS(backward(cell, run, run.outputs),
                         Contains("gradients of the outputs of shape [4, 2, 5], but got [1, 1, 5]"), bad);
    auto const kept_outputs = std::move(run.outputs);
    CHECK(same_map(backward(cell, run, dys).parameters, expected.parameters));

    auto gradients = dys;
    auto const kept_gradients = std::move(gradients);
    CHECK_THROWS_WITH_AS(backward(cell, run, gradients),
                         Contains("the gradient of the outputs was moved from"), bad);
    auto dstate = cell.zero_state(2);
    auto const kept_dstate = std::move(dstate);
    CHECK_THROWS_WITH_AS(backward(cell, run, dys, dstate), Contains("a gradient of the state was moved from"),
                         bad);

    auto const moved = std::move(run);
    CHECK(!run.has_tape());
    CHECK_THROWS_WITH_AS(backward(cell, run, dys), Contains("not one that was moved from"), std::logic_error);
    CHECK_THROWS_AS(backward(cell, run, dys, kept_dstate), std::logic_error);
    CHECK_THROWS_AS(backward(cell, decltype(run){}, dys), std::logic_error);
    CHECK(same_map(backward(cell, moved, dys).parameters, expected.parameters));
}

TEST_CASE_TEMPLATE("bad input: a run can be copied, outlive its cell's copy, and go backward twice", Backend,
                   sluice::xtensor::planned, sluice::xtensor::reference) {
    cell_of<Backend> const cell({.input = 3, .units = 5});
    auto const xs = random_sequence<double>(4, 2, 3);
    auto run = [&] {
        auto const copy = cell;
        auto const made = unroll(copy, xs, copy.zero_state(2), {.lengths = {4, 2}});
        return made;
    }();
    auto const other = run;
    auto const dys = random_like(run.outputs, "dys");
    auto const expected = backward(cell, run, dys); // a copy has the same parameters
    auto const moved = std::move(run);
    for (auto const* again : {&other, &moved}) {
        auto const g = backward(cell, *again, dys);
        CHECK(same_map(g.parameters, expected.parameters));
        CHECK(same_bits(g.inputs, expected.inputs));
        CHECK(same_map(g.state, expected.state));
    }
}

} // namespace bad_input_test
