// SPDX-License-Identifier: BSL-1.0
// A stream of a cell or of layers against sequences of the same net, and against single steps.
#pragma once

#include <doctest/doctest.h>
#include <sluice/xtensor.hpp>
#include <support/nets.hpp>

namespace stream {

using namespace support;

/// What a step gives: of a cell in one call, of layers as a sequence of one.
template <class Net, class X>
auto one_step(Net const& net, X const& x, typename Net::state_type const& state) {
    using output_type = typename Net::output_type;
    if constexpr (sluice::any_stack<Net>) {
        xt::xtensor<typename Net::scalar_type, 3> const xs = xt::view(x, xt::newaxis());
        auto found = infer(net, xs, state);
        return std::pair(output_type(xt::view(found.outputs, 0)), std::move(found.state));
    } else {
        auto found = net(x, state);
        return std::pair(std::move(found.output), std::move(found.state));
    }
}

/// Of any batch, from zeros or a state, and back to where it started. Single steps of a cell agree to the
/// bit: it is the same plan.
template <class Net>
void check(Net const& net) {
    using S = typename Net::scalar_type;
    constexpr std::size_t steps = 4;
    for (std::size_t const batch : {0u, 1u, 3u}) {
        CAPTURE(batch);
        auto const xs = random_sequence<S>(steps, batch, net.input_size());
        auto const start = random_states(net.zero_state(batch), "start");
        auto const whole = infer(net, xs, start);
        CHECK(equal_states(sluice::stream(net, batch).state(), net.zero_state(batch)));
        sluice::stream live(net, batch, start);
        CHECK(live.batch() == batch);
        for (int again = 0; again < 2; ++again) {
            auto state = start;
            CHECK(equal_states(live.state(), start));
            for (std::size_t t = 0; t < steps; ++t) {
                xt::xtensor<S, 2> const x = xt::view(xs, t);
                auto const [y, next] = one_step(net, x, state);
                auto const& found = live.step(x);
                state = next;
                CHECK(near(found, xt::xtensor<S, 2>(xt::view(whole.outputs, t))));
                if constexpr (!sluice::any_stack<Net>) {
                    CHECK(same(found, y));
                    CHECK(equal_states(live.state(), state));
                }
            }
            CHECK(near_states(live.state(), whole.state));
            live.reset();
        }
        live.set_state(whole.state);
        CHECK(equal_states(live.state(), whole.state));
    }
}

} // namespace stream
