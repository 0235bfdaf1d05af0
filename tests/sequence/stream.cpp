// SPDX-License-Identifier: BSL-1.0
// stream: its steps are those of unroll and of the cell or stack, whatever becomes of that meanwhile; what
// does not fit is refused, and changes nothing.
#include "stream_check.hpp"

#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <mgu/mgu.hpp>
#include <sluice/xtensor/reference.hpp>
#include <utility>

namespace stream_test {

using namespace support;
using namespace sluice::literals;
using doctest::Contains;
using bad = std::invalid_argument;

namespace {

using namespace sluice::equation;

/// Two inputs, a setting, and a matrix that is never trained.
struct guided {
    static constexpr auto f = gate<"f">;
    static constexpr auto equations = sluice::lines(
        f = sigmoid(x * W<"f"> + input<"context"> * W<"c"> + b<"f">),
        next(h) = setting<"leak">(0.5_n) * f * h + (1 - f) * tanh(x * W<"n"> + h * fixed(matrix<"M">)));
};

constexpr sluice::sizes extents{.input = 3, .units = 5};

auto matrix_of(std::size_t batch, std::string_view called = "x") {
    return random_tensor<double, 2>({batch, 3}, called);
}

/// A cell, what is said of it, and others in whose place it cannot stand.
template <class Backend>
struct of_cell {
    using net = sluice::cell<::mgu, double, Backend>;
    static net make(std::string_view called = "one") { return shuffled(net(extents), called); }
    static std::vector<net> others() {
        return {net({.input = 3, .units = 7}), net({.input = 4, .units = 5})};
    }
    static constexpr char const* is_another = "the cell of the stream has got other sizes";
    static constexpr char const* is_gone = "the cell was moved from";
    static constexpr char const* state_of_three =
        "a stream expects a state h of shape [2, 5], but got [3, 5]";
};
/// The same of two layers.
struct of_stack {
    using net = sluice::stack<::mgu, double>;
    static net make(std::string_view called = "one") { return shuffled(net(extents, {.layers = 2}), called); }
    static std::vector<net> others() {
        std::vector<net> all{net({.input = 3, .units = 7}, {.layers = 2}),
                             net({.input = 4, .units = 5}, {.layers = 2})};
        for (std::size_t const layers : {1u, 3u})
            all.push_back(net(extents, {.layers = layers}));
        for (auto const way : {sluice::direction::reversed, sluice::direction::bidirectional})
            all.push_back(net(extents, {.layers = 2, .direction = way}));
        return all;
    }
    static constexpr char const* is_another = "the stack of the stream has got other layers";
    static constexpr char const* is_gone = "the stack was moved from";
    static constexpr char const* state_of_three =
        "a stream expects a state h of shape [2, 2, 5], but got [2, 3, 5]";
};
#define ALL_NETS of_cell<sluice::xtensor::planned>, of_cell<sluice::xtensor::reference>, of_stack

/// f(key) for every parameter.
template <class Net, class F>
void for_each_key(Net const& net, F const& f) {
    auto const parameters = net.parameters();
    if constexpr (sluice::any_stack<Net>)
        for (sluice::tensor_place const& place : parameters.array().places())
            f(place.called);
    else
        sluice::for_each_parameter(parameters, [&](auto key, auto const&) { f(key); });
}

} // namespace

TEST_CASE_TEMPLATE("stream: steps of any batch, from zeros or a state, and back to where it started", T,
                   ALL_NETS) {
    stream::check(T::make());
}

TEST_CASE("stream: plain numbers, and expressions, are inputs too") {
    auto const cell = of_cell<sluice::xtensor::planned>::make();
    auto const x_t = matrix_of(2);
    sluice::stream tensors(cell, 2), numbers(cell, 2), expressions(cell, 2), feedback(cell, 2);
    std::vector<double> const list(x_t.begin(), x_t.end());
    for (int t = 0; t < 3; ++t) {
        auto const& y = tensors.step(x_t);
        std::span<double const> const same = numbers.step(list);
        CHECK(std::equal(same.begin(), same.end(), y.begin(), y.end()));
        CHECK(expressions.step(xt::xarray<double>(x_t) / 2 + x_t / 2) == y);
    }
    // An input may be made of the last output.
    auto const& own = feedback.step(xt::view(feedback.step(x_t), xt::all(), xt::range(0, 3)));
    sluice::stream other(cell, 2);
    auto const last = other.step(x_t);
    CHECK(other.step(xt::xtensor<double, 2>(xt::view(last, xt::all(), xt::range(0, 3)))) == own);

    sluice::stream one(cell); // a batch of one
    CHECK(one.batch() == 1);
    CHECK(one.step(std::array{1.0, 2.0, 3.0}).size() == 5);
}

TEST_CASE_TEMPLATE("stream: several inputs are given by their names", Backend, sluice::xtensor::planned,
                   sluice::xtensor::reference) {
    sluice::cell<guided, double, Backend> cell({.input = 3, .units = 5, .own = {{"context", 2}}});
    CHECK_THROWS_WITH_AS(sluice::stream(cell, 2), Contains("a stream needs the fixed parameter M"),
                         std::logic_error);
    randomize(cell);
    sluice::stream live(cell, 2);
    auto const x_t = matrix_of(2);
    auto const context = random_tensor<double, 2>({2, 2}, "context");
    auto const now = sluice::inputs("context"_s, context, "x"_s, x_t);
    auto state = cell.zero_state(2);
    auto const check = [&] {
        auto const [y, next] = cell(now, state);
        CHECK(xt::allclose(live.step(now), y, 1e-12, 1e-12));
        CHECK(map_distance(live.state(), next) < 1e-12);
        state = next;
    };
    check();
    cell.set_setting("leak"_s, 0.125);
    check();

    // The first input fits, the second does not: nothing has been taken.
    auto const before = live.state();
    xt::xtensor<double, 2> const wide = xt::ones<double>({2, 3}), many = xt::ones<double>({3, 2});
    CHECK_THROWS_WITH_AS(live.step(sluice::inputs("x"_s, 2 * x_t, "context"_s, wide)),
                         "sluice: a step of the stream expects context of shape [2, 2], but got [2, 3]", bad);
    CHECK_THROWS_WITH_AS(live.step(sluice::inputs("x"_s, 2 * x_t, "context"_s, many)),
                         Contains("but got [3, 2]"), bad);
    CHECK(same_map(live.state(), before));
    check();
}

TEST_CASE_TEMPLATE("stream: the next step uses the parameters that the net has then", T, ALL_NETS) {
    auto net = T::make();
    auto const x_t = matrix_of(2);
    sluice::stream live(net, 2);
    auto state = net.zero_state(2);
    auto const check = [&] {
        auto const [y, next] = stream::one_step(net, x_t, state);
        CHECK(near(live.step(x_t), y));
        CHECK(near_states(live.state(), next));
        state = next;
    };
    check();
    for_each_key(net, [&](auto const& key) {
        net.assign(key, 0.5 - net.parameters()[key]);
        check();
    });
    net.update_values([](std::span<double> values) {
        for (double& v : values)
            v /= 2;
    });
    check();
    net.visit_tensors([](std::string_view, auto, auto values) { values[0] = 3; });
    check();

    // Another one takes its place: of other parameters, and one that has the same version and other memory.
    net = T::make("another");
    check();
    for (int again = 0; again < 3; ++again) {
        auto copy = net;
        CHECK(copy.version() == net.version());
        net = std::move(copy);
        check();
        auto const another = net;
        net = another;
        check();
        auto swapped = net;
        std::swap(net, swapped);
        check();
        auto const& self = net;
        net = self;
        check();
    }
}

TEST_CASE_TEMPLATE("stream: what does not fit is refused, and changes nothing", T, ALL_NETS) {
    auto net = T::make();
    sluice::stream live(net, 2);
    auto const x_t = matrix_of(2);
    live.step(x_t);
    auto const before = live.state();
    CHECK_THROWS_WITH_AS(live.step(matrix_of(3)),
                         "sluice: a step of the stream expects x of shape [2, 3], but got [3, 3]", bad);
    CHECK_THROWS_WITH_AS(live.step(xt::xtensor<double, 2>(xt::ones<double>({2, 4}))),
                         Contains("but got [2, 4]"), bad);
    CHECK_THROWS_WITH_AS(live.step(xt::xarray<double>(xt::ones<double>({6}))), Contains("but got [6]"), bad);
    CHECK_THROWS_WITH_AS(live.step(xt::xarray<double>(xt::ones<double>({1, 2, 3}))),
                         Contains("but got [1, 2, 3]"), bad);
    CHECK_THROWS_WITH_AS(live.step(std::vector<double>(5)),
                         "sluice: a step of the stream expects 6 numbers, [batch, input] = [2, 3], but got 5",
                         bad);
    CHECK_THROWS_AS(live.step(std::span<double const>()), bad);
    auto moved = x_t;
    auto const taken = std::move(moved);
    CHECK_THROWS_WITH_AS(live.step(moved), Contains("an input of the stream was moved from"), bad);

    CHECK_THROWS_WITH_AS(live.set_state(net.zero_state(3)), Contains(T::state_of_three), bad);
    auto gone = net.zero_state(2);
    auto const kept = std::move(gone);
    CHECK_THROWS_WITH_AS(live.set_state(gone), Contains("a state was moved from"), bad);
    CHECK_THROWS_AS(sluice::stream(net, 2, net.zero_state(1)), bad);
    CHECK_THROWS_AS(sluice::stream(net, std::numeric_limits<std::size_t>::max()), bad);
    CHECK_THROWS_AS(sluice::stream(net, std::size_t(1) << 61), bad);
    CHECK(same_map(live.state(), before));

    // One of other sizes takes the place of the first.
    auto const first = net;
    auto const expected = stream::one_step(first, x_t, before).first;
    for (auto const& other : T::others()) {
        net = other;
        CHECK_THROWS_WITH_AS(live.step(x_t), Contains(T::is_another), std::logic_error);
        CHECK_THROWS_AS(live.step(matrix_of(3)), std::logic_error);
        CHECK_THROWS_AS(live.step(std::vector<double>(6)), std::logic_error);
        CHECK_THROWS_WITH_AS(live.set_state(net.zero_state(2)), Contains(T::is_another), std::logic_error);
        CHECK(same_map(live.state(), before)); // of its own
    }
    net = first;
    CHECK(near(live.step(x_t), expected));
}

TEST_CASE_TEMPLATE("stream: a NaN stays in its own row", Backend, sluice::xtensor::planned,
                   sluice::xtensor::reference) {
    sluice::cell<::mgu, float, Backend> cell(extents, sluice::seed{7});
    randomize(cell);
    sluice::stream live(cell, 2), clean(cell, 2);
    auto x_t = random_tensor<float, 2>({2, 3}, "x");
    auto const good = x_t;
    x_t(0, 1) = std::numeric_limits<float>::quiet_NaN();
    auto const& y = live.step(x_t);
    auto const& same = clean.step(good);
    CHECK(std::isnan(y(0, 0)));
    CHECK(xt::allclose(xt::view(y, 1), xt::view(same, 1), 1e-6, 1e-6));
    live.reset();
    clean.reset();
    CHECK(live.step(good) == clean.step(good)); // nothing is left of it
}

TEST_CASE_TEMPLATE("stream: copies go on for themselves; what was moved from says so", T, ALL_NETS) {
    auto net = T::make();
    auto const x_t = matrix_of(2), other_x = matrix_of(2, "other");
    auto const start = random_states(net.zero_state(2), "start");
    sluice::stream live(net, 2, start);
    live.step(x_t);
    auto copy = live;
    CHECK(&copy.net() == &net);
    CHECK(same_map(copy.state(), live.state()));
    auto const expected = sluice::stream(live).step(x_t);
    copy.step(other_x);
    CHECK(live.step(x_t) == expected);
    CHECK_FALSE(same_map(copy.state(), live.state()));
    copy.reset(); // to where the first one started
    CHECK(same_map(copy.state(), start));

    sluice::stream other(net, 1);
    other = live;
    CHECK(other.batch() == 2);
    CHECK(same_map(other.state(), live.state()));
    auto& self = other;
    other = self;
    CHECK(same_map(other.state(), live.state()));

    auto const next = sluice::stream(live).step(x_t);
    auto moved = std::move(live);
    CHECK_THROWS_WITH_AS(live.step(x_t), Contains("the stream was moved from"), bad);
    CHECK_THROWS_AS(live.step(std::vector<double>(6)), bad);
    CHECK_THROWS_AS((void)live.state(), bad);
    CHECK_THROWS_AS((void)live.net(), bad);
    CHECK_THROWS_AS(live.set_state(start), bad);
    CHECK_THROWS_AS(live.reset(), bad);
    CHECK_THROWS_AS(sluice::stream{live}, bad);
    CHECK(moved.step(x_t) == next);
    live = std::move(moved);
    live.reset();
    CHECK(same_map(live.state(), start));

    auto const new_home = std::move(net);
    CHECK_THROWS_WITH_AS(live.step(x_t), Contains(T::is_gone), bad);
    CHECK_THROWS_AS(sluice::stream(net, 2), bad);
    CHECK(same_map(live.state(), start));
    net = new_home;
    CHECK_NOTHROW(live.step(x_t));

    using net_type = typename T::net; // one that would be gone is refused by the compiler
    static_assert(std::is_constructible_v<sluice::stream<net_type>, net_type&, std::size_t>);
    static_assert(!std::is_constructible_v<sluice::stream<net_type>, net_type, std::size_t>);
    static_assert(!std::is_constructible_v<sluice::stream<net_type>, net_type const>);
    static_assert(std::copyable<sluice::stream<net_type>>);
    static_assert(std::is_nothrow_move_constructible_v<sluice::stream<net_type>>);
}

} // namespace stream_test
