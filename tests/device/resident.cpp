// SPDX-License-Identifier: BSL-1.0
// How a net on the device is used: windows with a carried state, changed parameters, the way back to the
// host, what it refuses, threads.
#include "resident.hpp"
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/lstm.hpp>
#include <thread>

namespace resident_use_test {

using namespace resident_test;
using namespace sluice::literals;
using net_type = sluice::stack<sluice::cudnn_gru, double, device>;
using cpu_type = sluice::stack<sluice::cudnn_gru, double>;

template <class Net = net_type>
Net make(sluice::stack_options const& how = {.layers = 2}) {
    return shuffled(Net({.input = 3, .units = 4}, how));
}

TEST_CASE("resident use: a state is carried on the device from one window to the next") {
    resident const net(make());
    auto const cpu = make<cpu_type>();
    auto state = net.zero_state(2);
    auto here = cpu.zero_state(2);
    auto xs = send(random_sequence<double>(3, 2, 3));
    for (int window = 0; window < 3; ++window) {
        auto const values = random_sequence<double>(3, 2, 3, window == 0 ? "a" : "b");
        send(values, xs); // what unroll was given may be written to again at once
        auto run = unroll(net, xs, state);
        auto const expected = unroll(cpu, values, here);
        send(random_sequence<double>(3, 2, 3, "others"), xs);
        check_near(fetch(run.outputs), expected.outputs);
        auto const found = backward(net, run, run.outputs);
        check_values(net.fetch(found.parameters).values(),
                     backward(cpu, expected, expected.outputs).parameters.values());
        state = std::move(run.state);
        here = expected.state;
    }
    check_states(net.fetch(state), here);
    check_near(fetch(state["h"_s]), here["h"_s]);
}

TEST_CASE("resident use: states of layers of different pages have the names that they have on the host") {
    using pages = sluice::layers<sluice::cudnn_gru, sluice::lstm>;
    std::vector<sluice::sizes> const sizes{{.input = 3, .units = 5}, {.units = 4}};
    auto const host = shuffled(sluice::stack<pages, double, device>(sizes));
    auto const cpu = shuffled(sluice::stack<pages, double>(sizes));
    resident const net(host);
    auto const xs = random_sequence<double>(3, 2, 3);
    auto const run = unroll(net, send(xs), net.zero_state(2));
    auto const expected = unroll(cpu, xs, cpu.zero_state(2));
    check_near(fetch(run.state.get<0>()["h"_s]), expected.state.get<0>()["h"_s]);
    check_near(fetch(run.state.get<1>()["c"_s]), expected.state.get<1>()["c"_s]);
}

TEST_CASE("resident use: a change of the parameters is seen by all that follows, and by no run before it") {
    auto host = make();
    resident net(host);
    auto const xs = send(random_sequence<double>(4, 2, 3));
    auto const run = unroll(net, xs, net.zero_state(2));
    auto const before = net.version();
    host.update_values([](std::span<double> all) {
        for (double& value : all)
            value *= -0.5;
    });
    xt::xtensor<double, 1> const changed =
        xt::adapt(host.parameters().values().data(), host.parameters().values().size(), xt::no_ownership(),
                  std::array<std::size_t, 1>{host.parameters().values().size()});
    net.update([&](tensor<double, 1>& all) { send(changed, all); });
    CHECK(net.version() != before);
    CHECK_THROWS_WITH_AS(
        backward(net, run, run.outputs),
        "sluice: backward needs the parameters of the run, but the cell's have changed since; call "
        "backward before they change",
        std::logic_error);
    auto const expected = unroll(host, fetch(xs), host.zero_state(2));
    auto const again = unroll(net, xs, net.zero_state(2));
    check_near(fetch(again.outputs), expected.outputs);
    CHECK_NOTHROW(backward(net, again, again.outputs));

    auto back = make();
    net.fetch(back);
    CHECK(std::ranges::equal(back.parameters().values(), host.parameters().values()));
    net.send(make());
    check_near(fetch(unroll(net, xs, net.zero_state(2)).outputs), fetch(run.outputs));
    CHECK_THROWS_AS(backward(net, again, again.outputs), std::logic_error);
}

TEST_CASE("resident use: two nets are a chain, whose gradient is that of the CPU") {
    resident const lower(make());
    auto const upper_host = shuffled(sluice::cell<sluice::dense, double, device>({.input = 4, .units = 2}));
    resident const upper(upper_host);
    auto const cpu = make<cpu_type>();
    auto const cpu_upper = shuffled(sluice::cell<sluice::dense, double>({.input = 4, .units = 2}));
    auto const xs = random_sequence<double>(4, 2, 3);
    auto const one = unroll(lower, send(xs), lower.zero_state(2));
    auto const two = unroll(upper, one.outputs, upper.zero_state(2));
    auto const back = backward(upper, two, two.outputs);
    auto const found = backward(lower, one, back.inputs);
    auto const first = unroll(cpu, xs, cpu.zero_state(2));
    auto const second = unroll(cpu_upper, first.outputs, cpu_upper.zero_state(2));
    auto const wanted = backward(cpu, first, backward(cpu_upper, second, second.outputs).inputs);
    check_near(fetch(found.inputs), wanted.inputs);
    check_values(lower.fetch(found.parameters).values(), wanted.parameters.values());
}

TEST_CASE("resident use: what does not fit is refused with a sentence") {
    auto host = make();
    resident net(host);
    auto const xs = send(random_sequence<double>(4, 2, 3));
    auto const refuses = [](auto const& f, char const* sentence) {
        CHECK_THROWS_WITH_AS(f(), sentence, std::invalid_argument);
    };
    refuses([&] { unroll(net, send(random_sequence<double>(4, 2, 5)), net.zero_state(2)); },
            "sluice: a stack expects xs of shape [time, batch, 3], but got [4, 2, 5]");
    refuses([&] { unroll(net, xs, net.zero_state(3)); },
            "sluice: a stack expects a state h of shape [2, 2, 4], but got [2, 3, 4]");
    refuses([&] { unroll(net, xs, decltype(net.zero_state(2)){}); },
            "sluice: a state was moved from; use what it was moved to");
    refuses([&] { unroll(net, xs, net.zero_state(2), {.lengths = {4}}); },
            "sluice: a stack expects one length for each of 2 sequences, but got 1");
    refuses(
        [&] {
            infer(net, xs, net.zero_state(2), {.lengths = {4, 5}});
        },
        "sluice: a stack expects lengths of at most 4 steps, but got 5");
    refuses([&] { unroll(net, tensor<double, 3>(), net.zero_state(2)); },
            "sluice: xs was moved from; use what it was moved to");
    auto const run = unroll(net, xs, net.zero_state(2));
    refuses([&] { backward(net, run, xs); },
            "sluice: backward expects gradients of the outputs of shape [4, 2, 4], but got [4, 2, 3]");
    auto wider = shuffled(net_type({.input = 3, .units = 5}, {.layers = 2}));
    CHECK_THROWS_AS(net.fetch(wider), std::invalid_argument);
    auto backwards = make({.layers = 2, .direction = sluice::direction::reversed});
    auto const old = backwards.parameters().values()[0];
    backwards.update_values([](std::span<double> all) { all[0] = 7; });
    refuses([&] { net.fetch(backwards); },
            "sluice: fetch expects a net of the same equations, directions and "
            "layers as that on the device, but got another");
    CHECK(backwards.parameters().values()[0] == 7);
    CHECK(old != 7);
    auto taken = std::move(net);
    refuses([&] { unroll(net, xs, taken.zero_state(2)); },
            "sluice: the net on the device was moved from; use what it was moved to");
    CHECK_NOTHROW(unroll(taken, xs, taken.zero_state(2)));
}

TEST_CASE("resident use: tensors of another thread are waited for") {
    resident const net(make());
    auto const expected =
        fetch(infer(net, send(random_sequence<double>(4, 2, 3)), net.zero_state(2)).outputs);
    xt::xtensor<double, 3> came, gradient;
    std::thread([&] {
        auto const xs = send(random_sequence<double>(4, 2, 3));
        auto const run = unroll(net, xs, net.zero_state(2));
        came = fetch(run.outputs);
        gradient = fetch(backward(net, run, send(came)).inputs);
    }).join();
    CHECK(same_bits(came, expected));
    auto const run = unroll(net, send(random_sequence<double>(4, 2, 3)), net.zero_state(2));
    CHECK(same_bits(fetch(backward(net, run, run.outputs).inputs), gradient));
}

} // namespace resident_use_test
