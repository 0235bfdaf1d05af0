// SPDX-License-Identifier: BSL-1.0
// Nothing that is asked of a net on the device waits for it, nor copies to the host, until something is
// fetched; and what is left is given back.
#include "resident.hpp"
#include <device/training.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>

using namespace resident_test;

namespace {

/// Of a chain of two nets, back and forth, without and with the generated kernels. Where assertions are on,
/// scratch memory is filled with NaN from the host, which waits for the oldest of these copies.
template <class Page>
long operations_in_a_chain() {
    host_device::changed_settings with;
    with->order = 0; // nothing is done before it is waited for
    using net_type = sluice::stack<Page, float, device>;
    resident net(shuffled(net_type({.input = 3, .units = 3}, {.layers = 2})));
    resident const upper(shuffled(net_type({.input = 3, .units = 4}, {})));
    auto const xs = send(random_sequence<float>(4, 2, 3));
    auto const state = net.zero_state(2);
    auto const upper_state = upper.zero_state(2);
    auto const step = [&] {
        auto const one = unroll(net, xs, state);
        auto const two = unroll(upper, one.outputs, upper_state);
        auto const back = backward(upper, two, two.outputs);
        auto found = backward(net, one, back.inputs);
        net.update([&](tensor<float, 1>& all) { std::swap(all, found.parameters.values()); });
    };
    step();
    xs.work()->wait();
    auto const before = host_device::count();
    step();
    long const ran = host_device::count().operations - before.operations;
    CHECK(host_device::count().pending > 0);
    fetch(infer(upper, xs, upper_state).outputs);
    CHECK(host_device::count().operations > before.operations + ran);
    return ran;
}

} // namespace

TEST_CASE("host resident: a chain of nets on the device, and a change of its parameters, wait for nothing") {
    CHECK(operations_in_a_chain<sluice::cudnn_gru>() == 0);
#ifdef NDEBUG
    CHECK(operations_in_a_chain<sluice::gru>() == 0);
#endif
}

TEST_CASE("host resident: a step of an optimiser is waited for where it has a constraint, and goes there and "
          "back with these parameters alone") {
    host_device::changed_settings with;
    with->order = 0;
    fake_cell<float> const cell;
    training::fake_net net(cell);
    sluice::sgd optimizer(net);
    auto const gradients = training::sent(fake_cell<float>::pattern());
    struct counted {
        long ran, pending;
        bool operator==(counted const&) const = default;
    };
    auto const step = [&] {
        gradients.values().work()->wait();
        long const before = host_device::count().operations;
        optimizer.step(net, gradients);
        return counted{host_device::count().operations - before, host_device::count().pending};
    };
    optimizer.freeze("b_r"_s);
    counted const without = step();
    CHECK(without.pending > 0);
    auto const nothing = [](std::span<float>) {};
    optimizer.constrain("b_r"_s, nothing);
    CHECK(step() == without);
    optimizer.constrain("R_r"_s, nothing);
    counted const with_one = step();
    CHECK(with_one.ran == without.ran + without.pending + 1); // all that it waits for, and a copy to the host
    optimizer.constrain("W_r"_s, nothing);
    CHECK(step().ran == with_one.ran + 1);
}

TEST_CASE("host resident: a net on the device gives all of its memory back") {
    auto const host =
        shuffled(sluice::stack<sluice::gru, float, device>({.input = 3, .units = 4}, {.layers = 2}));
    auto const alive = [&] {
        resident const net(host);
        auto const run = unroll(net, send(random_sequence<float>(4, 2, 3)), net.zero_state(2));
        (void)backward(net, run, run.outputs);
        fetch(run.outputs);
        return 0;
    };
    auto const queue = sluice::cudnn::queue::of_this_thread();
    alive();
    queue->wait();
    long const before = host_device::count().allocations;
    alive();
    queue->wait();
    CHECK(host_device::count().allocations == before);
}
