// SPDX-License-Identifier: BSL-1.0
// States that start at parameters: runs without a state, streams, and the gradients of those parameters.
#include <doctest/doctest.h>
#include <sluice/check/gradient_check.hpp>
#include <sluice/checkpoint/checkpoint.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <stdexcept>
#include <support/device.hpp>
#include <support/nets.hpp>

namespace initial_state_test {

using namespace support;
using namespace sluice::literals;

namespace {

/// Two states of different widths; where c starts, it has its peephole too.
struct both {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        constexpr auto c = state<"c", 3>;
        return sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h"> + c * matrix<"C"> + b<"h">),
                             next(c) = tanh(x * W<"c"> + c * p<"c">), initial(h) = vector<"h0">,
                             initial(c) = p<"c">);
    }();
};
/// One of them starts with zeros.
struct one {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        constexpr auto c = state<"c", 3>;
        return sluice::lines(initial(c) = bias<"c0">,
                             next(h) = tanh(x * W<"h"> + h * R<"h"> + c * matrix<"C"> + b<"h">),
                             next(c) = tanh(x * W<"c"> + c * p<"c">));
    }();
};
struct none {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h">));
    }();
};
struct of_fixed {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h">), initial(h) = fixed(vector<"h0">));
    }();
};

constexpr std::size_t time = 4, batch = 3, input = 2, units = 5;

template <class Cell>
Cell made() {
    Cell cell({.input = input, .units = units}, sluice::seed{3});
    randomize(cell);
    return cell;
}
xt::xtensor<bool, 2> some_resets() {
    xt::xtensor<bool, 2> mask = xt::zeros<bool>({time, batch});
    mask(2, 0) = mask(1, 2) = mask(3, 2) = true;
    return mask;
}

/// The sum of all rows.
template <class S>
xt::xtensor<S, 1> total(xt::xtensor<S, 2> const& values) {
    xt::xtensor<S, 1> sum = xt::zeros<S>({values.shape()[1]});
    for (std::size_t r = 0; r < values.shape()[0]; ++r)
        sum += xt::view(values, r);
    return sum;
}

template <class Cell>
void check_runs(sluice::unroll_options const& options) {
    using S = typename Cell::scalar_type;
    constexpr double rounding = std::is_same_v<S, float> ? 1e-5 : 1e-13;
    auto const cell = made<Cell>();
    auto const xs = random_sequence<S>(time, batch, input);
    auto const start = cell.initial_state(batch);
    for (std::size_t r = 0; r < batch; ++r) {
        CHECK(same_bits(xt::xtensor<S, 1>(xt::view(start["h"_s], r)),
                        xt::xtensor<S, 1>(cell.parameters()["h0"_s])));
        CHECK(same_bits(xt::xtensor<S, 1>(xt::view(start["c"_s], r)),
                        xt::xtensor<S, 1>(cell.parameters()["p_c"_s])));
    }
    auto const run = unroll(cell, xs, options), same = unroll(cell, xs, start, options);
    CHECK(same_bits(run.outputs, same.outputs));
    CHECK(same_map(run.state, same.state));
    CHECK(distance(infer(cell, xs, options).outputs, run.outputs) < rounding);

    auto const dys = random_like(run.outputs, "dys");
    auto const dstate = random_map(run.state, "dstate");
    auto const found = backward(cell, run, dys, dstate), given = backward(cell, same, dys, dstate);
    CHECK(same_map(found.state, given.state));
    CHECK(same_bits(found.inputs, given.inputs));
    CHECK(all_zero(given.parameters["h0"_s]));
    CHECK(distance(found.parameters["h0"_s], total(given.state["h"_s])) < rounding);
    xt::xtensor<S, 1> const more = found.parameters["p_c"_s] - given.parameters["p_c"_s];
    CHECK(distance(more, total(given.state["c"_s])) < 10 * rounding);
    CHECK(same_bits(found.parameters["R_h"_s], given.parameters["R_h"_s]));
}

template <class Cell>
void check_gradient(sluice::gradient_check_options const& options, std::size_t tensors) {
    auto const cell = made<Cell>();
    auto const report = gradient_check(cell, random_sequence<double>(time, batch, input), options);
    CHECK(report.tensors.size() == tensors);
    for (auto const& tensor : report.tensors) {
        CAPTURE(tensor.called);
        CHECK(tensor.largest < 1e-8);
    }
}

} // namespace

TEST_CASE_TEMPLATE("initial states: runs without a state start there, and give the gradient", Cell,
                   sluice::cell<both, double>, sluice::cell<both, double, sluice::xtensor::reference>,
                   sluice::cell<both, float, device>) {
    check_runs<Cell>({});
    check_runs<Cell>({.lengths = {4, 0, 2}});
    check_runs<Cell>({.lengths = {4, 1, 4}, .resets = some_resets()});
}

TEST_CASE("initial states: gradients are those of differences") {
    for (lengths_type const& lengths : {lengths_type{}, lengths_type{4, 0, 2}}) {
        check_gradient<sluice::cell<both, double>>({.lengths = lengths}, 8);
        check_gradient<sluice::cell<one, double>>({.lengths = lengths}, 8);
    }
    check_gradient<sluice::cell<both, double>>({.lengths = {4, 1, 4}, .resets = some_resets()}, 8);
}

TEST_CASE("initial states: zeros, unless a vector stands elsewhere too") {
    sluice::cell<both, double> const cell({.input = input, .units = units}, sluice::seed{3});
    CHECK(all_zero(cell.parameters()["h0"_s]));
    CHECK_FALSE(all_zero(cell.parameters()["p_c"_s]));
    auto const start = made<sluice::cell<one, double>>().initial_state(batch);
    CHECK(all_zero(start["h"_s]));
    CHECK_FALSE(all_zero(start["c"_s]));
    CHECK(cell.initial_state(0)["c"_s].size() == 0);
}

TEST_CASE("initial states: without such a line zeros") {
    auto const cell = made<sluice::cell<none, double>>();
    auto const xs = random_sequence<double>(time, batch, input);
    CHECK(all_zero(cell.initial_state(batch)["h"_s]));
    CHECK(same_bits(unroll(cell, xs).outputs, unroll(cell, xs, cell.zero_state(batch)).outputs));
    CHECK_THROWS_AS(unroll(cell, random_sequence<double>(time, batch, input + 1)), std::invalid_argument);
    CHECK_THROWS_AS(infer(cell, xs, {.lengths = {1, 2}}), std::invalid_argument);
}

TEST_CASE("initial states: a fixed one is given, and has no gradient") {
    sluice::cell<of_fixed, double> cell({.input = input, .units = units});
    auto const xs = random_sequence<double>(time, batch, input);
    CHECK_THROWS_AS(unroll(cell, xs), std::logic_error);
    auto const values = random_tensor<double, 1>({units}, "h0");
    cell.assign("h0"_s, values);
    CHECK(same_bits(xt::xtensor<double, 1>(xt::view(cell.initial_state(2)["h"_s], 1)), values));
    auto const run = unroll(cell, xs);
    auto const found = backward(cell, run, run.outputs);
    CHECK(all_zero(found.parameters["h0"_s]));
    CHECK_FALSE(all_zero(found.state["h"_s]));
}

TEST_CASE("initial states: streams start there, and go back there") {
    auto cell = made<sluice::cell<both, double>>();
    auto const xs = random_sequence<double>(time, batch, input);
    auto const run = unroll(cell, xs);
    sluice::stream live(cell, batch);
    for (int round = 0; round < 2; ++round) {
        for (std::size_t t = 0; t < time; ++t)
            CHECK(distance(live.step(xt::view(xs, t)), xt::view(run.outputs, t)) < 1e-13);
        live.reset();
    }
    cell.assign("h0"_s, random_tensor<double, 1>({units}, "other"));
    CHECK(same_map(sluice::stream(cell, batch).state(), cell.initial_state(batch)));
}

TEST_CASE("initial states: they are saved and loaded") {
    auto const cell = made<sluice::cell<both, double>>();
    sluice::archive kept;
    store(kept, cell, "cell/");
    sluice::cell<both, double> other({.input = input, .units = units});
    restore(kept, other, "cell/");
    CHECK(same_map(other.initial_state(2), cell.initial_state(2)));
    sluice::cell<one, double> another({.input = input, .units = units});
    CHECK_THROWS_AS(restore(kept, another, "cell/"), sluice::checkpoint_error);
}

TEST_CASE("initial states: each layer and direction of a stack starts at its own") {
    for (auto const way : {sluice::direction::unidirectional, sluice::direction::bidirectional}) {
        auto const net = shuffled(
            sluice::stack<both, double>({.input = input, .units = units}, {.layers = 2, .direction = way}));
        auto const xs = random_sequence<double>(time, batch, input);
        auto const start = net.initial_state(batch);
        auto const second = net.parameters().at(1);
        std::size_t const row = sluice::directions_of(way);
        CHECK(near(xt::xtensor<double, 1>(xt::view(start["h"_s], row, 2)),
                   xt::xtensor<double, 1>(second["h0"_s])));
        CHECK(same(unroll(net, xs, {.draw = 1}).outputs, unroll(net, xs, start, {.draw = 1}).outputs));
        CHECK(same(infer(net, xs).outputs, infer(net, xs, start).outputs));
        for (lengths_type const& lengths : {lengths_type{}, lengths_type{4, 0, 2}})
            CHECK(gradient_check(net, xs, {.lengths = lengths}).worst().largest < 1e-8);
        CHECK(gradient_check(net, xs, start).worst().largest < 1e-8);
        if (row == 1)
            CHECK(equal_states(sluice::stream(net, 2).state(), net.initial_state(2)));
    }
}

} // namespace initial_state_test
