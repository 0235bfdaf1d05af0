// SPDX-License-Identifier: BSL-1.0
// Two lowerings of one cell give the same: outputs, states, and every gradient.
#pragma once

#include <doctest/doctest.h>
#include <support/cells.hpp>

namespace support {

/// A cell with a sequence, a state to start from, and gradients that come back.
template <class Subject>
struct example {
    using scalar = typename Subject::scalar;
    decltype(Subject::make()) cell = Subject::make();
    std::size_t time, batch;
    xt::xtensor<scalar, 3> xs = random_sequence<scalar>(time, batch, cell.extents().input);
    typename decltype(cell)::state_type state = random_map(cell.zero_state(batch), "state");
    xt::xtensor<scalar, 3> dys = random_sequence<scalar>(time, batch, cell.output_size(), "dys");
    typename decltype(cell)::state_type dstate = random_map(cell.zero_state(batch), "dstate");

    example(std::size_t t, std::size_t b) : time(t), batch(b) {}
};

/// Two lowerings give the same, forward and backward, to a relative norm.
template <class SubjectA, class SubjectB>
void they_agree(double tolerance) {
    example<SubjectA> const a(5, 3);
    example<SubjectB> const b(5, 3);
    for (std::vector<std::size_t> const& lengths : {std::vector<std::size_t>{}, {5, 0, 2}}) {
        auto const run_a = unroll(a.cell, a.xs, a.state, {.lengths = lengths});
        auto const run_b = unroll(b.cell, b.xs, b.state, {.lengths = lengths});
        CHECK(distance(run_a.outputs, run_b.outputs) < tolerance);
        CHECK(state_distance(run_a.state, run_b.state) < tolerance);
        auto const g_a = backward(a.cell, run_a, a.dys, a.dstate);
        auto const g_b = backward(b.cell, run_b, b.dys, b.dstate);
        CHECK(map_distance(g_a.parameters, g_b.parameters) < tolerance);
        CHECK(distance(g_a.inputs, g_b.inputs) < tolerance);
        CHECK(state_distance(g_a.state, g_b.state) < tolerance);
    }
}

/// The reference lowering and the planned one.
template <class Which, class S>
void lowerings_agree() {
    they_agree<planned<Which, S>, reference<Which, S>>(std::is_same_v<S, float> ? 1e-5 : 1e-12);
}

} // namespace support
