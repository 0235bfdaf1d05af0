// SPDX-License-Identifier: BSL-1.0
// A stream of a net that stays on the device: its steps are the sequence, and it follows its net.
#include "resident.hpp"

#include <array>
#include <sluice/cell/adapt/zoneout.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/sequence/stream.hpp>
#include <support/reducing_cells.hpp>

namespace resident_streams_test {

using namespace resident_test;
using namespace sluice::literals;

/// Each step of [4, 2, 3] as the host gives it, twice: after a reset as before.
template <class Net>
void steps_are_the_sequence(Net const& host) {
    resident const net(host);
    auto const xs = random_sequence<double>(4, 2, 3);
    auto const start = random_states(host.zero_state(2), "start");
    auto const whole = sluice::infer(host, xs, start);
    sluice::stream live(net, 2, net.send(start));
    for (int times = 0; times < 2; ++times) {
        for (std::size_t t = 0; t < 4; ++t) {
            auto const& y = live.step(send(xt::xtensor<double, 2>(xt::view(xs, t))));
            check_near(fetch(y), xt::xtensor<double, 2>(xt::view(whole.outputs, t)));
        }
        check_states(net.fetch(live.state()), whole.state);
        live.reset();
    }
    check_states(net.fetch(live.state()), start);
}

TEST_CASE("resident streams: steps are the sequence, of cells and of layers") {
    SUBCASE("cuDNN's cell") {
        steps_are_the_sequence(
            shuffled(sluice::cell<sluice::cudnn_gru, double, device>({.input = 3, .units = 5})));
    }
    SUBCASE("layers that are one call of cuDNN") {
        steps_are_the_sequence(shuffled(
            sluice::stack<sluice::cudnn_gru, double, device>({.input = 3, .units = 5}, {.layers = 2})));
    }
    SUBCASE("generated kernels, with masks and residual layers") {
        steps_are_the_sequence(shuffled(sluice::stack<sluice::zoneout<sluice::gru>, double, generated>(
            {.input = 3, .units = 3}, {.layers = 2, .zoneout = 0.25, .residual = sluice::residual::all})));
    }
}

TEST_CASE("resident streams: inputs by their names, and rows that begin again") {
    sluice::sizes const n{.input = 3, .units = 9, .groups = 3, .own = {{"context", 4}}};
    auto const host = shuffled(sluice::cell<reducing_cells::attentive, double, generated>(n));
    resident const net(host);
    auto const xs = random_sequence<double>(2, 3, 3), cs = random_sequence<double>(2, 3, 4, "context");
    xt::xtensor<bool, 2> resets = xt::zeros<bool>({2, 3});
    resets(1, 2) = true;
    auto const whole = sluice::infer(host, sluice::inputs("x"_s, xs, "context"_s, cs), {.resets = resets});
    sluice::stream live(net, 3);
    for (std::size_t t = 0; t < 2; ++t) {
        if (t == 1)
            live.reset(2);
        auto const x = send(xt::xtensor<double, 2>(xt::view(xs, t))),
                   c = send(xt::xtensor<double, 2>(xt::view(cs, t)));
        check_near(fetch(live.step(sluice::inputs("context"_s, c, "x"_s, x))),
                   xt::xtensor<double, 2>(xt::view(whole.outputs, t)));
    }
}

TEST_CASE("resident streams: they follow their net, and are copied with their state") {
    using net_type = sluice::cell<sluice::gru, double, generated>;
    auto host = shuffled(net_type({.input = 3, .units = 5}));
    resident net(host);
    auto const xs = random_sequence<double>(2, 2, 3);
    auto const x = send(xt::xtensor<double, 2>(xt::view(xs, 0)));
    sluice::stream live(net, 2);
    live.step(x);
    auto twin = live;
    auto const here = net.fetch(live.state());
    check_states(net.fetch(twin.state()), here);
    host.update_values([](std::span<double> all) { all[0] += 0.5; });
    net.send(host);
    check_near(fetch(live.step(x)), host(fetch(x), here).output);
    check_states(net.fetch(twin.state()), here); // its state is its own
    live.set_state(net.send(here));
    check_states(net.fetch(live.state()), here);
}

TEST_CASE("resident streams: what does not fit is refused, and the state stays what it was") {
    auto const host =
        shuffled(sluice::stack<sluice::cudnn_gru, double, device>({.input = 3, .units = 5}, {}));
    resident const net(host);
    sluice::stream live(net, 2);
    auto const before = net.fetch(live.state());
    auto const refuses = [&](auto const& f, char const* sentence) {
        CHECK_THROWS_WITH_AS(f(), doctest::Contains(sentence), std::invalid_argument);
        check_states(net.fetch(live.state()), before);
    };
    refuses(
        [&] {
            live.step(send(random_tensor<double, 2>({2, 4}, "x")));
        },
        "a step of the stream expects x of shape [2, 3], but got [2, 4]");
    refuses([&] { live.step(tensor<double, 2>()); }, "an input of the stream was moved from");
    refuses([&] { live.set_state(net.zero_state(3)); }, "a stream expects a state h of shape [1, 2, 5]");
    refuses([&] { live.reset(2); }, "a row of the batch, less than 2, but got 2");
    auto const both_ways = shuffled(sluice::stack<sluice::cudnn_gru, double, device>(
        {.input = 3, .units = 5}, {.direction = sluice::direction::bidirectional}));
    resident const turned(both_ways);
    CHECK_THROWS_WITH_AS(sluice::stream(turned, 2), doctest::Contains("reads a sequence from its end too"),
                         std::invalid_argument);
}

} // namespace resident_streams_test
