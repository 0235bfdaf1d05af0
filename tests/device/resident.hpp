// SPDX-License-Identifier: BSL-1.0
// Nets that stay on the device beside the same on the CPU.
#pragma once

#include "rnn.hpp"
#include <sluice/cudnn/planned_policy.hpp>
#include <sluice/cudnn/resident.hpp>
#include <sluice/xtensor/reference.hpp>

namespace resident_test {

using namespace rnn_test;
using sluice::cudnn::fetch;
using generated = sluice::cudnn::planned;
using sluice::cudnn::resident;
using sluice::cudnn::send;
using sluice::cudnn::tensor;

struct rows {
    lengths_type lengths{};
    sluice::reset_mask resets{};
};
inline sluice::reset_mask some_resets(std::size_t steps, std::size_t batch) {
    xt::xtensor<bool, 2> made = xt::zeros<bool>({steps, batch});
    for (std::size_t t = 1; t < steps; t += 2)
        made(t, t % batch) = true;
    return made;
}

/// The options of a net; masks are those of one draw.
template <class Net>
auto options_for(rows const& how) {
    sluice::unroll_options options{.lengths = how.lengths, .resets = how.resets};
    if constexpr (sluice::any_stack<Net>)
        options.draw = 5;
    return options;
}

/// Both ways, of nets with the same parameters: one of them stays on the device.
template <class Net, class Other>
void check_resident(Net const& host, Other const& other, std::size_t steps, std::size_t batch,
                    rows const& how = {}) {
    using S = typename Net::scalar_type;
    CAPTURE(how.lengths.size());
    CAPTURE(how.resets.is_none());
    resident const net(host);
    auto const xs = padded_with_nan(random_sequence<S>(steps, batch, host.input_size()), how.lengths);
    auto const start = random_states(other.zero_state(batch), "start");
    auto const expected = unroll(other, xs, start, options_for<Net>(how));
    auto const there = send(xs);
    auto const state = net.send(random_states(host.zero_state(batch), "start"));
    auto const run = unroll(net, there, state, options_for<Net>(how));
    check_near(fetch(run.outputs), expected.outputs);
    check_states(net.fetch(run.state), expected.state);

    sluice::unroll_options const same{.lengths = how.lengths, .resets = how.resets};
    auto const inferred = infer(net, there, state, same);
    auto const in_inference = infer(other, xs, start, same);
    check_near(fetch(inferred.outputs), in_inference.outputs);
    check_states(net.fetch(inferred.state), in_inference.state);

    auto const dys = padded_with_nan(random_like(expected.outputs, "dys"), how.lengths);
    auto const dstate = random_states(expected.state, "dstate");
    auto const wanted = backward(other, expected, dys, dstate);
    auto const sent_dys = send(dys);
    auto const sent_dstate = net.send(random_states(host.zero_state(batch), "dstate"));
    auto const found = backward(net, run, sent_dys, sent_dstate);
    check_near(fetch(found.inputs), wanted.inputs);
    check_states(net.fetch(found.state), wanted.state);
    check_values(net.fetch(found.parameters).values(), wanted.parameters.values());
    auto const without = backward(net, run, sent_dys, sent_dstate, {.inputs = false});
    CHECK(without.inputs.size() == 0);
    check_values(net.fetch(without.parameters).values(), wanted.parameters.values());
    check_values(net.fetch(backward(net, run, sent_dys).parameters).values(),
                 backward(other, expected, dys).parameters.values());
}

/// Rows of all kinds.
template <class Net, class Other>
void check_rows(Net const& host, Other const& other) {
    check_resident(host, other, 5, 3);
    check_resident(host, other, 5, 3, {.lengths = {5, 0, 2}});
    check_resident(host, other, 5, 3, {.resets = some_resets(5, 3)});
    check_resident(host, other, 5, 3, {.lengths = {3, 5, 0}, .resets = some_resets(5, 3)});
}

/// What runs every scalar, where planned code runs float and double.
template <class S>
using on_cpu = std::conditional_t<sizeof(S) == 2, sluice::xtensor::reference, sluice::xtensor::planned>;

template <class Page, class S, class Policy>
void check_cell(sluice::sizes const& n, sluice::settings const& numbers = {}) {
    check_rows(shuffled(sluice::cell<Page, S, Policy>(n, {}, numbers)),
               shuffled(sluice::cell<Page, S, on_cpu<S>>(n, {}, numbers)));
}
template <class Pages, class S, class Policy, class Sizes = sluice::sizes>
void check_net(Sizes const& n, sluice::stack_options const& how) {
    check_rows(shuffled(sluice::stack<Pages, S, Policy>(n, how)),
               shuffled(sluice::stack<Pages, S, on_cpu<S>>(n, how)));
}

} // namespace resident_test
