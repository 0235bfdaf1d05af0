// SPDX-License-Identifier: BSL-1.0
// A stream of a cell against sequences of the same cell, and against single steps.
#pragma once

#include <doctest/doctest.h>
#include <sluice/xtensor.hpp>
#include <support/tensors.hpp>

namespace stream {

using namespace support;

template <class S>
constexpr double near_enough = std::is_same_v<S, float> ? 2e-5 : 1e-11;

/// Single steps agree to the bit: it is the same plan.
template <class Cell>
void check(Cell const& cell) {
    using S = typename Cell::scalar_type;
    std::size_t const steps = 4;
    for (std::size_t const batch : {1u, 3u}) {
        auto const xs = random_sequence<S>(steps, batch, cell.input_size());
        auto state = random_map(cell.zero_state(batch), "state");
        auto const whole = infer(cell, xs, state);
        sluice::stream live(cell, batch, state);
        for (std::size_t t = 0; t < steps; ++t) {
            xt::xtensor<S, 2> const x = xt::view(xs, t);
            auto const& y = live.step(x);
            auto const found = cell(x, state);
            state = found.state;
            CHECK(distance(y, xt::xtensor<S, 2>(xt::view(whole.outputs, t))) < near_enough<S>);
            CHECK(same_bits(y, found.output));
            CHECK(same_states(live.state(), state));
        }
        CHECK(state_distance(live.state(), whole.state) < near_enough<S>);
    }
}

} // namespace stream
