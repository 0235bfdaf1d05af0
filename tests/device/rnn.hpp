// SPDX-License-Identifier: BSL-1.0
// Cells and stacks on the device, in calls from the host or staying there, beside the same on the CPU: what
// they give has to be near.
#pragma once

#include "host/controls.hpp"
#include "host/cudnn_controls.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <sluice/cudnn/explain.hpp>
#include <sluice/cudnn/resident.hpp>
#include <sluice/tensorflow/cudnn_layers.hpp>
#include <sluice/xtensor.hpp>
#include <string>
#include <support/nets.hpp>
#include <support/rounding.hpp>
#include <type_traits>

namespace rnn_test {

using namespace support;
using sluice::cudnn::device;
using sluice::cudnn::explain;

/// Equal shapes, and numbers that are near, or none.
template <class A, class B>
void check_near(A const& a, B const& b) {
    using S = typename A::value_type;
    if (a.size() == 0)
        CHECK(a.shape() == b.shape());
    else
        CHECK(distance(a, b) <
              (std::is_same_v<S, float> ? host_device::distance_of_cudnn() : near_enough<S>));
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

template <class Net>
constexpr bool is_resident = requires {
    typename Net::net_type;
};
/// A tensor or a state of the host, where the net is; and back.
template <class Net, class T>
auto there(Net const& net, T const& given) {
    if constexpr (!is_resident<Net>)
        return given;
    else if constexpr (requires { given.shape(); })
        return sluice::cudnn::send(given);
    else
        return net.send(given);
}
template <class Net, class T>
auto here(Net const& net, T const& found) {
    if constexpr (!is_resident<Net>)
        return found;
    else if constexpr (requires { found.shape(); })
        return sluice::cudnn::fetch(found);
    else
        return net.fetch(found);
}

/// Both ways, of nets with the same parameters.
template <class Net, class Other>
void check_alike(Net const& net, Other const& other, std::size_t steps, std::size_t batch,
                 rows const& how = {}) {
    using S = typename Net::scalar_type;
    CAPTURE(how.lengths.size());
    CAPTURE(how.resets.is_none());
    auto const xs = padded_with_nan(random_sequence<S>(steps, batch, net.input_size()), how.lengths);
    auto const start = random_states(other.zero_state(batch), "start");
    auto const xs_there = there(net, xs);
    auto const start_there = there(net, start);
    auto const expected = unroll(other, xs, start, options_for<Other>(how));
    auto const run = unroll(net, xs_there, start_there, options_for<Other>(how));
    check_near(here(net, run.outputs), expected.outputs);
    check_states(here(net, run.state), expected.state);

    sluice::unroll_options const same{.lengths = how.lengths, .resets = how.resets};
    auto const in_inference = infer(other, xs, start, same);
    auto const inferred = infer(net, xs_there, start_there, same);
    check_near(here(net, inferred.outputs), in_inference.outputs);
    check_states(here(net, inferred.state), in_inference.state);

    auto const dys = padded_with_nan(random_like(expected.outputs, "dys"), how.lengths);
    auto const dstate = random_states(expected.state, "dstate");
    auto const dys_there = there(net, dys);
    auto const dstate_there = there(net, dstate);
    auto const wanted = backward(other, expected, dys, dstate);
    auto const found = backward(net, run, dys_there, dstate_there);
    check_near(here(net, found.inputs), wanted.inputs);
    check_states(here(net, found.state), wanted.state);
    auto const gradients = here(net, found.parameters);
    check_values(gradients.values(), wanted.parameters.values());
    auto const without = backward(net, run, dys_there, dstate_there, {.inputs = false});
    CHECK(without.inputs.size() == 0);
    CHECK(std::ranges::equal(here(net, without.parameters).values(), gradients.values(),
                             [](S a, S b) { return sluice::in_double(a) == sluice::in_double(b); }));
    check_values(here(net, backward(net, run, dys_there).parameters).values(),
                 backward(other, expected, dys).parameters.values());
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
        check_alike(net, other, 5, 3, {.lengths = lengths});
        CHECK(host_device::cudnn_calls("cudnnRNNForward") == before + 2); // unroll and infer
    }
}

} // namespace rnn_test
