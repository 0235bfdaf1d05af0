// SPDX-License-Identifier: BSL-1.0
// Cells and stacks on the device beside the same on the CPU: what they give has to be near.
#pragma once

#include "host/controls.hpp"
#include "host/cudnn_controls.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <sluice/cudnn/explain.hpp>
#include <sluice/tensorflow/cudnn_layers.hpp>
#include <sluice/xtensor.hpp>
#include <string>
#include <support/rounding.hpp>
#include <support/tensors.hpp>

namespace rnn_test {

using namespace support;
using sluice::cudnn::device;
using sluice::cudnn::explain;
using lengths_type = std::vector<std::size_t>;

/// Random numbers for all parameters, no two layers alike.
template <class Net>
Net shuffled(Net net, double scale = 0.6) {
    using S = typename Net::scalar_type;
    net.update_values([&](std::span<S> all) {
        sluice::random_stream numbers(sluice::seed{11}, "parameters");
        for (S& value : all)
            value = sluice::rounded<S>(numbers.uniform(-scale, scale));
    });
    return net;
}
template <class States>
States random_states(States states, std::string_view called) {
    sluice::random_stream numbers(sluice::seed{12}, called);
    sluice::for_each_parameter(states, [&](auto, auto& tensor) {
        for (auto& value : tensor)
            value = sluice::rounded<std::decay_t<decltype(value)>>(numbers.uniform(-1, 1));
    });
    return states;
}
/// NaN after the ends of the rows, which may not be read.
template <class S>
xt::xtensor<S, 3> padded_with_nan(xt::xtensor<S, 3> values, lengths_type const& lengths) {
    auto const [steps, batch, width] = values.shape();
    for (std::size_t r = 0; r < lengths.size(); ++r)
        for (std::size_t t = lengths[r]; t < steps; ++t)
            std::fill_n(values.data() + (t * batch + r) * width, width,
                        sluice::rounded<S>(std::numeric_limits<double>::quiet_NaN()));
    return values;
}

/// A worse distance than this is a fault. The same numbers are summed in another order.
template <class S>
constexpr double near_enough = sizeof(S) == 8   ? 1e-12
                               : sizeof(S) == 4 ? 1e-5
                                                : 1e-2;

/// Equal shapes, and numbers that are near, or none.
template <class A, class B>
void check_near(A const& a, B const& b) {
    if (a.size() == 0)
        CHECK(a.shape() == b.shape());
    else
        CHECK(distance(a, b) < near_enough<typename A::value_type>);
}
template <class A, class B>
void check_states(A const& a, B const& b) {
    sluice::for_each_parameter(a, b,
                               [](auto, auto const& one, auto const& other) { check_near(one, other); });
}
template <class A, class B>
void check_values(A const& a, B const& b) {
    std::vector<std::size_t> const shape{a.size()};
    check_near(xt::adapt(std::vector<typename A::value_type>(a.begin(), a.end()), shape),
               xt::adapt(std::vector<typename B::value_type>(b.begin(), b.end()), shape));
}

/// Both ways, of nets with the same parameters.
template <class Net, class Other>
void check_alike(Net const& net, Other const& other, std::size_t steps, std::size_t batch,
                 lengths_type const& lengths) {
    using S = typename Net::scalar_type;
    CAPTURE(lengths.size());
    auto const xs = padded_with_nan(random_sequence<S>(steps, batch, net.input_size()), lengths);
    auto const state = random_states(net.zero_state(batch), "start");
    auto const other_state = random_states(other.zero_state(batch), "start");
    auto const run = unroll(net, xs, state, {.lengths = lengths});
    auto const expected = unroll(other, xs, other_state, {.lengths = lengths});
    check_near(run.outputs, expected.outputs);
    check_states(run.state, expected.state);
    auto const inferred = infer(net, xs, state, {.lengths = lengths});
    check_near(inferred.outputs, expected.outputs);
    check_states(inferred.state, expected.state);
    auto const dys = padded_with_nan(random_like(run.outputs, "dys"), lengths);
    auto const found = backward(net, run, dys, random_states(run.state, "dstate"));
    auto const wanted = backward(other, expected, dys, random_states(expected.state, "dstate"));
    check_near(found.inputs, wanted.inputs);
    check_states(found.state, wanted.state);
    check_values(found.parameters.values(), wanted.parameters.values());
    auto const without = backward(net, run, dys, random_states(run.state, "dstate"), {.inputs = false});
    CHECK(without.inputs.size() == 0);
    CHECK(std::ranges::equal(without.parameters.values(), found.parameters.values(),
                             [](S a, S b) { return sluice::in_double(a) == sluice::in_double(b); }));
}

/// A stack that is one call of cuDNN, against the CPU.
template <class Page, class S>
void check_stack(sluice::sizes const& n, sluice::stack_options const& how) {
    auto const net = shuffled(sluice::stack<Page, S, device>(n, how));
    auto const other = shuffled(sluice::stack<Page, S>(n, how));
    CAPTURE(explain(net));
    CHECK(net.is_whole());
    for (lengths_type const& lengths :
         {lengths_type{}, lengths_type{5, 0, 2}, lengths_type{5, 5, 5}, lengths_type{0, 0, 0}}) {
        long const before = host_device::cudnn_calls("cudnnRNNForward");
        check_alike(net, other, 5, 3, lengths);
        CHECK(host_device::cudnn_calls("cudnnRNNForward") == before + 2); // unroll and infer
    }
}

} // namespace rnn_test
