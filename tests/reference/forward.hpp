// SPDX-License-Identifier: BSL-1.0
// What runs forward only: whole sequences by infer, and those of one direction step by step in a stream.
#pragma once

#include <reference/agreement.hpp>
#include <sluice/sequence/backward.hpp>
#include <sluice/sequence/stack_front.hpp>
#include <sluice/sequence/stream.hpp>

namespace reference {

/// Every row of the batch by itself, to its own end.
template <class Net, class S = typename Net::scalar_type>
void agrees_step_by_step(recording const& from, Net const& net) {
    auto const xs = from.tensor<S, 3>("x");
    auto const first = read_states<typename Net::state_type>(from, "", "_0");
    std::size_t const steps = xs.shape()[0], batch = xs.shape()[1];
    auto ends = from.lengths();
    ends.resize(batch, steps);

    xt::xtensor<S, 3> outputs = xt::zeros<S>({steps, batch, net.output_size()});
    auto last = net.zero_state(batch);
    sluice::stream live(net);
    for (std::size_t row = 0; row < batch; ++row) {
        auto state = net.zero_state(1);
        sluice::for_each_parameter(state, [&](auto key, auto& tensor) {
            tensor = xt::view(first[key], xt::all(), xt::range(row, row + 1));
        });
        live.set_state(state);
        for (std::size_t t = 0; t < ends[row]; ++t) {
            xt::xtensor<S, 2> const x = xt::view(xs, t, xt::range(row, row + 1));
            xt::view(outputs, t, xt::range(row, row + 1)) = live.step(x);
        }
        state = live.state();
        sluice::for_each_parameter(state, [&](auto key, auto const& tensor) {
            xt::view(last[key], xt::all(), xt::range(row, row + 1)) = tensor;
        });
    }
    agrees_forward(from, outputs, last);
}

/// All recordings of a cell, of which so many can be streamed.
template <class Page, class How>
void runs_forward(std::string const& framework, std::string const& cell, std::size_t streamed,
                  sluice::settings const& settings = {}) {
    using S = typename How::scalar;
    std::size_t count = 0;
    for (recording const& from : recordings(framework, cell)) {
        CAPTURE(from.name);
        auto const net = stack_of<Page, How>(from, settings);
        using state = typename decltype(net)::state_type;
        auto const whole = sluice::infer(net, from.tensor<S, 3>("x"), read_states<state>(from, "", "_0"),
                                         {.lengths = from.lengths()});
        agrees_forward(from, whole.outputs, whole.state);
        if (from.direction() == sluice::direction::unidirectional) {
            agrees_step_by_step(from, net);
            ++count;
        }
    }
    CHECK(count == streamed);
}

} // namespace reference
