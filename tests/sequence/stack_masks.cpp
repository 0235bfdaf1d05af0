// SPDX-License-Identifier: BSL-1.0
// Zoneout and recurrent dropout in stacks: which masks are drawn, and what inference puts in their place.
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <set>
#include <sluice/cell/adapt/recurrent_dropout.hpp>
#include <sluice/cell/adapt/zoneout.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor.hpp>
#include <stdexcept>
#include <support/nets.hpp>

namespace stack_masks_test {

using doctest::Contains;
using sluice::direction;

namespace {

/// Its state is its input: what zoneout keeps can be seen.
struct latch {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(next(h) = input_of<units> + 0_n * h);
    }();
};
/// Its state is multiplied with R, which the tests make the identity.
struct echo {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(next(h) = input_of<units> + h * R<"h">);
    }();
};

/// x_t is t + 1 in every row and feature.
template <class S>
xt::xtensor<S, 3> ramp(std::size_t steps, std::size_t batch, std::size_t width) {
    auto xs = xt::xtensor<S, 3>::from_shape({steps, batch, width});
    for (std::size_t t = 0; t < steps; ++t)
        xt::view(xs, t) = static_cast<S>(t + 1);
    return xs;
}

using zoned = sluice::zoneout<latch>;
using dropped = sluice::recurrent_dropout<echo>;

template <class S>
sluice::stack<dropped, S> echoes(double rate, std::uint64_t seed = 3) {
    sluice::stack<dropped, S> net({.units = 40}, {.recurrent_dropout = rate, .dropout_seed = {seed}});
    net.assign("layer0/R_h", xt::xtensor<S, 2>(xt::eye<S>(40)));
    return net;
}

} // namespace

TEST_CASE_TEMPLATE("stack: zoneout keeps states as often as its rate says", S, float, double) {
    sluice::stack<zoned, S> const net({.units = 30}, {.zoneout = 0.3, .dropout_seed = {5}});
    auto const xs = ramp<S>(40, 7, 30);
    auto const ys = sluice::unroll(net, xs, net.zero_state(7)).outputs;
    std::size_t kept = 0;
    for (std::size_t t = 0; t < 40; ++t)
        for (std::size_t b = 0; b < 7; ++b)
            for (std::size_t i = 0; i < 30; ++i) {
                S const before = t == 0 ? S(0) : ys(t - 1, b, i);
                REQUIRE((ys(t, b, i) == xs(t, b, i) || ys(t, b, i) == before));
                kept += ys(t, b, i) == before;
            }
    double const count = 40 * 7 * 30;
    CHECK(std::abs(static_cast<double>(kept) - 0.3 * count) < 4 * std::sqrt(0.3 * 0.7 * count));
}

TEST_CASE("stack: inference is what zoneout gives on the average") {
    sluice::stack<zoned, double> const net({.units = 5}, {.layers = 2, .zoneout = 0.4});
    auto const xs = support::random_tensor<double, 3>({6, 2, 5}, "xs");
    auto state = net.zero_state(2);
    sluice::for_each_parameter(state, [](auto, auto& tensor) { tensor.fill(0.7); });
    CHECK(support::is_mean(sluice::infer(net, xs, state).outputs, 1500,
                           [&] { return sluice::unroll(net, xs, state).outputs; })); // each call draws others
}

TEST_CASE("stack: inference with zoneout is the cell whose mask is the rate") {
    sluice::stack<sluice::zoneout<sluice::lstm>, double> net(
        {.input = 3, .units = 4}, {.direction = direction::bidirectional, .zoneout = 0.2}, sluice::seed{7});
    auto const xs = support::random_tensor<double, 3>({5, 2, 3}, "xs");
    auto const found = sluice::infer(net, xs, net.zero_state(2));
    auto const& cell = net.cell(0);
    xt::xtensor<double, 3> const rate = 0.2 * xt::ones<double>({5, 2, 4});
    using namespace sluice::literals;
    auto const by_hand = sluice::infer(
        cell, sluice::inputs("x"_s, xs, "zoneout_c"_s, rate, "zoneout_h"_s, rate), cell.zero_state(2));
    CHECK(
        xt::allclose(xt::view(found.outputs, xt::all(), xt::all(), xt::range(0, 4)), by_hand.outputs, 1e-14));
    CHECK(xt::allclose(xt::view(found.state["c"_s], 0), by_hand.state["c"_s], 1e-14));
}

TEST_CASE_TEMPLATE("stack: recurrent dropout has one mask for all time steps", S, float, double) {
    auto const net = echoes<S>(0.25);
    xt::xtensor<S, 3> xs = xt::zeros<S>({4, 50, 40});
    xt::view(xs, 0) = S(1); // then h is the power of the mask
    auto const ys = sluice::unroll(net, xs, net.zero_state(50)).outputs;
    std::size_t gone = 0;
    for (std::size_t b = 0; b < 50; ++b)
        for (std::size_t i = 0; i < 40; ++i) {
            S const mask = ys(1, b, i);
            REQUIRE((mask == 0 || mask == doctest::Approx(1 / 0.75)));
            CHECK(ys(2, b, i) == doctest::Approx(mask * mask));
            CHECK(ys(3, b, i) == doctest::Approx(mask * mask * mask));
            gone += mask == 0;
        }
    CHECK(std::abs(static_cast<double>(gone) - 500) < 4 * std::sqrt(2000 * 0.25 * 0.75));
    CHECK(xt::view(sluice::infer(net, xs, net.zero_state(50)).outputs, 3) == xt::ones<S>({50, 40}));
    auto const none = sluice::unroll(echoes<S>(1), xs, net.zero_state(50)).outputs;
    CHECK(xt::view(none, 1) == xt::zeros<S>({50, 40}));
}

TEST_CASE("stack: masks differ by draw, seed, layer and direction, and the same draw repeats them") {
    sluice::stack<zoned, double> const net(
        {.units = 20}, {.layers = 2, .direction = direction::unidirectional, .zoneout = 0.5});
    auto const xs = ramp<double>(6, 3, 20);
    auto const at = [&](auto const& which, std::uint64_t draw) {
        return sluice::unroll(which, xs, which.zero_state(3), {.draw = draw}).outputs;
    };
    CHECK(at(net, 4) == at(net, 4));
    CHECK(at(net, 4) != at(net, 5));
    auto const copy = net;
    CHECK(at(copy, 4) == at(net, 4));
    sluice::stack<zoned, double> const other({.units = 20},
                                             {.layers = 2, .zoneout = 0.5, .dropout_seed = {1}});
    CHECK(at(other, 4) != at(net, 4));
    CHECK(sluice::infer(net, xs, net.zero_state(3)).outputs ==
          sluice::infer(other, xs, net.zero_state(3)).outputs);

    sluice::stack<zoned, double> const both({.units = 20},
                                            {.direction = direction::bidirectional, .zoneout = 0.5});
    xt::xtensor<double, 3> const same = xt::ones<double>({6, 3, 20});
    auto const ys = sluice::unroll(both, same, both.zero_state(3)).outputs;
    CHECK(xt::view(ys, 0, xt::all(), xt::range(0, 20)) != xt::view(ys, 5, xt::all(), xt::range(20, 40)));
}

TEST_CASE("stack: gradients through the masks of a draw, and rates of 0 are the plain page") {
    using page = sluice::zoneout<sluice::recurrent_dropout<sluice::lstm>>;
    auto const xs = support::random_tensor<double, 3>({5, 2, 3}, "xs");
    for (direction const d : {direction::unidirectional, direction::bidirectional, direction::reversed}) {
        sluice::stack<page, double> const net(
            {.input = 3, .units = 4},
            {.layers = 2, .direction = d, .dropout = 0.3, .zoneout = 0.3, .recurrent_dropout = 0.4},
            sluice::seed{7});
        auto state = net.zero_state(2);
        sluice::for_each_parameter(state, [](auto key, auto& tensor) {
            tensor = support::random_tensor<double, 3>(tensor.shape(), key.c_str());
        });
        CHECK(sluice::gradient_check(net, xs, state, {.lengths = {3, 5}}).worst().largest < 1e-8);
        sluice::stack<page, double> const off({.input = 3, .units = 4}, {.layers = 2, .direction = d},
                                              sluice::seed{7});
        sluice::stack<sluice::lstm, double> const plain({.input = 3, .units = 4},
                                                        {.layers = 2, .direction = d}, sluice::seed{7});
        CHECK(xt::allclose(sluice::unroll(off, xs, off.zero_state(2)).outputs,
                           sluice::unroll(plain, xs, plain.zero_state(2)).outputs, 1e-14));
    }
}

TEST_CASE("stack: rates of masks are refused where there are none, and outside of [0, 1]") {
    using bad = std::invalid_argument;
    CHECK_THROWS_WITH_AS((sluice::stack<sluice::gru>({.input = 3, .units = 4}, {.zoneout = 0.1})),
                         Contains("a stack with zoneout is a stack<zoneout<page>>"), bad);
    CHECK_THROWS_WITH_AS((sluice::stack<zoned>({.units = 4}, {.recurrent_dropout = 0.1})),
                         Contains("a stack<recurrent_dropout<page>>"), bad);
    for (double const rate : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
        CHECK_THROWS_WITH_AS((sluice::stack<zoned>({.units = 4}, {.zoneout = rate})),
                             Contains("zoneout expects a rate between 0 and 1"), bad);
        CHECK_THROWS_WITH_AS((sluice::stack<dropped>({.units = 4}, {.recurrent_dropout = rate})),
                             Contains("recurrent_dropout expects a rate between 0 and 1"), bad);
    }
}

} // namespace stack_masks_test
