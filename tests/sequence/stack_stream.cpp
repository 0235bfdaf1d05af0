// SPDX-License-Identifier: BSL-1.0
// stream of a stack: its steps are those of a sequence, whatever becomes of the stack meanwhile.
#include "stack_check.hpp"

#include <concepts>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>

namespace stack_stream_test {

using namespace stacks;
using namespace sluice::literals;
using doctest::Contains;
using bad = std::invalid_argument;

namespace {

using net_type = sluice::stack<sluice::gru, double>;
constexpr sluice::sizes given{.input = 3, .units = 5};

net_type make(sluice::stack_options const& how = {.layers = 2}) {
    return randomized_net(net_type(given, how));
}
xt::xtensor<double, 2> x_of(std::size_t batch, std::string_view called = "x") {
    return random_tensor<double, 2>({batch, 3}, called);
}
/// What a step gives, by a sequence of one.
template <class Net>
auto one_step(Net const& net, xt::xtensor<double, 2> const& x, typename Net::state_type const& state) {
    xt::xtensor<double, 3> xs = xt::view(x, xt::newaxis());
    auto found = infer(net, xs, state);
    return std::pair(xt::xtensor<double, 2>(xt::view(found.outputs, 0)), found.state);
}

template <class Net>
void check_steps(Net const& net) {
    using S = typename Net::scalar_type;
    for (std::size_t const batch : {1u, 3u}) {
        auto const xs = random_sequence<S>(4, batch, net.input_size());
        auto const start = random_states(net.zero_state(batch), "start");
        auto const whole = infer(net, xs, start);
        sluice::stream live(net, batch, start);
        CHECK(equal_states(live.state(), start));
        for (int again = 0; again < 2; ++again) {
            for (std::size_t t = 0; t < 4; ++t)
                CHECK(near(live.step(xt::view(xs, t)), xt::xtensor<S, 2>(xt::view(whole.outputs, t))));
            CHECK(near_states(live.state(), whole.state));
            live.reset();
        }
        live.set_state(whole.state);
        CHECK(equal_states(live.state(), whole.state));
    }
}

} // namespace

TEST_CASE_TEMPLATE("stream of a stack: its steps are those of infer", S, float, double) {
    using stack_type = sluice::stack<sluice::gru, S>;
    for (residual added : {residual::none, residual::between_layers, residual::all})
        for (std::size_t layers : {1u, 2u, 3u})
            check_steps(randomized_net(
                stack_type({.input = 5, .units = 5}, {.layers = layers, .dropout = 0.5, .residual = added})));
}
TEST_CASE("stream of a stack: on the reference backend") {
    using stack_type = sluice::stack<two_states, double, sluice::xtensor::reference>;
    check_steps(randomized_net(stack_type(given, {.layers = 3, .residual = residual::between_layers})));
}
TEST_CASE("stream of a stack: different pages, also without a state") {
    using stack_type = sluice::stack<sluice::layers<two_states, sluice::dense, two_states>, float>;
    stack_type const net({{.input = 4, .units = 5}, {.units = 3}, {.units = 2}},
                         {.residual = residual::between_layers});
    check_steps(randomized_net(net));
}

TEST_CASE("stream of a stack: the next step uses the parameters that the stack has then") {
    auto net = make();
    auto const x = x_of(2);
    sluice::stream live(net, 2);
    auto state = net.zero_state(2);
    auto const check = [&] {
        auto const [y, next] = one_step(net, x, state);
        CHECK(near(live.step(x), y));
        CHECK(near(live.state()["h"_s], next["h"_s]));
        state = next;
    };
    check();
    for (char const* one : {"layer0/R_n", "layer0/b_r", "layer1/W_u", "layer0/W_n"}) {
        net.assign(one, 1 + 2 * net.parameters()[one]);
        check();
    }
    net.update_values([](std::span<double> all) {
        for (double& v : all)
            v /= 2;
    });
    check();
    net.visit_tensors([](std::string_view called, auto, auto values) {
        if (called == "layer0/W_r")
            values[0] = 3;
    });
    check();
    net = randomized_net(make(), "another");
    check();
    auto copy = net;
    net = std::move(copy);
    check();
    auto const& self = net;
    net = self;
    check();
}

TEST_CASE("stream of a stack: what does not fit is refused, and changes nothing") {
    auto net = make();
    sluice::stream live(net, 2);
    auto const x = x_of(2);
    live.step(x);
    auto const before = live.state();
    CHECK_THROWS_WITH_AS(live.step(x_of(3)),
                         "sluice: a step of the stream expects x of shape [2, 3], but got [3, 3]", bad);
    CHECK_THROWS_WITH_AS(live.step(xt::xarray<double>(xt::ones<double>({6}))), Contains("but got [6]"), bad);
    CHECK_THROWS_WITH_AS(live.step(std::vector<double>(5)), Contains("expects 6 numbers"), bad);
    auto moved = x;
    auto const taken = std::move(moved);
    CHECK_THROWS_WITH_AS(live.step(moved), Contains("an input of the stream was moved from"), bad);
    CHECK_THROWS_WITH_AS(live.set_state(net.zero_state(3)), Contains("but got [2, 3, 5]"), bad);
    CHECK_THROWS_AS(sluice::stream(net, 2, net.zero_state(1)), bad);
    CHECK_THROWS_AS(sluice::stream(net, std::size_t(1) << 61), bad);
    CHECK(same_map(live.state(), before));
    for (direction way : {direction::bidirectional, direction::reversed}) {
        auto const other = make({.layers = 2, .direction = way});
        CHECK_THROWS_WITH_AS(sluice::stream(other, 2), Contains("use infer, or a unidirectional stack"), bad);
    }
}

TEST_CASE("stream of a stack: another stack takes its place") {
    auto net = make();
    auto const first = net;
    sluice::stream live(net, 2);
    auto const x = x_of(2);
    live.step(x);
    auto const before = live.state();
    auto const expected = one_step(net, x, before).first;
    auto const check = [&](net_type const& other) {
        net = other;
        CHECK_THROWS_WITH_AS(live.step(x), Contains("the stack of the stream has got other layers"),
                             std::logic_error);
        CHECK_THROWS_AS(live.step(std::vector<double>(6)), std::logic_error);
        CHECK_THROWS_AS(live.set_state(net.zero_state(2)), std::logic_error);
        CHECK(same_map(live.state(), before)); // of its own
    };
    check(make({.layers = 3}));
    check(make({.layers = 1}));
    check(make({.layers = 2, .direction = direction::reversed}));
    check(make({.layers = 2, .direction = direction::bidirectional}));
    check(net_type({.input = 3, .units = 6}, {.layers = 2}));
    check(net_type({.input = 4, .units = 5}, {.layers = 2}));
    net = first;
    CHECK(near(live.step(x), expected));
    net = make({.layers = 2, .residual = residual::between_layers}); // fits
    CHECK(near(live.step(x), one_step(net, x, one_step(first, x, before).second).first));
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

TEST_CASE("stream of a stack: copies go on for themselves; what was moved from says so") {
    auto net = make();
    auto const x = x_of(2), other_x = x_of(2, "other");
    auto const start = random_states(net.zero_state(2), "start");
    sluice::stream live(net, 2, start);
    live.step(x);
    auto copy = live;
    CHECK(&copy.net() == &net);
    CHECK(same_map(copy.state(), live.state()));
    auto const expected = sluice::stream(live).step(x);
    copy.step(other_x);
    CHECK(live.step(x) == expected);
    CHECK_FALSE(same_map(copy.state(), live.state()));
    copy.reset();
    CHECK(same_map(copy.state(), start));

    auto const now = live.state();
    auto taken = std::move(live);
    CHECK(same_map(taken.state(), now));
    CHECK_THROWS_WITH_AS(live.step(x), Contains("the stream was moved from"), bad);
    CHECK_THROWS_AS(live.state(), bad);
    CHECK_THROWS_AS(live.reset(), bad);
    CHECK_THROWS_AS(live.set_state(start), bad);
    CHECK_THROWS_AS(sluice::stream{live}, bad);
    live = taken;
    CHECK(same_map(live.state(), now));

    auto const new_home = std::move(net);
    CHECK_THROWS_WITH_AS(live.step(x), Contains("the stack was moved from"), bad);
    CHECK_THROWS_AS(sluice::stream(net, 2), bad);
    CHECK(same_map(live.state(), now));
    net = new_home;
    CHECK_NOTHROW(live.step(x));

    static_assert(std::copyable<sluice::stream<net_type>>);
    static_assert(std::is_nothrow_move_constructible_v<sluice::stream<net_type>>);
    static_assert(std::is_constructible_v<sluice::stream<net_type>, net_type&, std::size_t>);
    static_assert(!std::is_constructible_v<sluice::stream<net_type>, net_type, std::size_t>);
}

} // namespace stack_stream_test
