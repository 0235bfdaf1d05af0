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
    decltype(Subject::make()) cell;
    std::size_t time, batch;
    xt::xtensor<scalar, 3> xs = random_sequence<scalar>(time, batch, cell.extents().input);
    typename decltype(cell)::state_type state = random_map(cell.zero_state(batch), "state");
    xt::xtensor<scalar, 3> dys = random_sequence<scalar>(time, batch, cell.output_size(), "dys");
    typename decltype(cell)::state_type dstate = random_map(cell.zero_state(batch), "dstate");

    example(std::size_t t, std::size_t b) : cell(Subject::make()), time(t), batch(b) {}
    example(std::size_t t, std::size_t b, std::size_t units, std::size_t input)
        : cell(Subject::make(units, input)), time(t), batch(b) {}
};

/// Two lowerings give the same, forward and backward, to a relative norm.
template <class A, class B>
void they_agree(A const& a, B const& b, std::vector<std::size_t> const& lengths, double tolerance) {
    auto const run_a = unroll(a.cell, a.xs, a.state, {.lengths = lengths});
    auto const run_b = unroll(b.cell, b.xs, b.state, {.lengths = lengths});
    auto const g_a = backward(a.cell, run_a, a.dys, a.dstate);
    auto const g_b = backward(b.cell, run_b, b.dys, b.dstate);
    CHECK(map_distance(g_a.parameters, g_b.parameters) < tolerance);
    CHECK(run_a.outputs.shape() == run_b.outputs.shape());
    CHECK(g_a.inputs.shape() == g_b.inputs.shape());
    if (a.batch == 0)
        return; // there are no numbers to compare
    CHECK(distance(run_a.outputs, run_b.outputs) < tolerance);
    CHECK(state_distance(run_a.state, run_b.state) < tolerance);
    CHECK(distance(g_a.inputs, g_b.inputs) < tolerance);
    CHECK(state_distance(g_a.state, g_b.state) < tolerance);
}
template <class SubjectA, class SubjectB>
void they_agree(double tolerance) {
    example<SubjectA> const a(5, 3);
    example<SubjectB> const b(5, 3);
    they_agree(a, b, {}, tolerance);
    they_agree(a, b, {5, 0, 2}, tolerance);
}

template <class A>
void it_infers_what_it_unrolls(A const& a, std::vector<std::size_t> const& lengths, double tolerance) {
    auto const run = unroll(a.cell, a.xs, a.state, {.lengths = lengths});
    auto const inferred = infer(a.cell, a.xs, a.state, {.lengths = lengths});
    CHECK(inferred.outputs.shape() == run.outputs.shape());
    if (a.batch == 0)
        return;
    CHECK(distance(inferred.outputs, run.outputs) < tolerance);
    CHECK(state_distance(inferred.state, run.state) < tolerance);
}

/// The same around the sizes of the kernels' blocks: each number of units with two others of inputs and four
/// batches.
template <class SubjectA, class SubjectB>
void they_agree_around_blocks(double tolerance) {
    static constexpr std::size_t widths[] = {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 47, 49, 63, 65, 67};
    static constexpr std::size_t batches[] = {0, 1, 2, 5, 6, 7, 13, 33};
    constexpr std::size_t count = std::size(widths);
    for (std::size_t i = 0; i < 2 * count; ++i)
        for (std::size_t const j : {i, i + 3}) { // 15 and 8 have no common divisor
            std::size_t const units = widths[i % count], input = widths[(i < count ? i + 4 : i + 7) % count];
            std::size_t const batch = batches[j % std::size(batches)];
            std::vector<std::size_t> lengths;
            for (std::size_t r = 0; r < batch && i % 3 == 1; ++r)
                lengths.push_back((r + 2) % 4);
            CAPTURE(units);
            CAPTURE(input);
            CAPTURE(batch);
            example<SubjectA> const a(3, batch, units, input);
            they_agree(a, example<SubjectB>(3, batch, units, input), lengths, tolerance);
            it_infers_what_it_unrolls(a, lengths, tolerance);
        }
}

/// The reference lowering and the planned one. In some sizes a gradient is a single number, a sum that nearly
/// cancels.
template <class Which, class S>
void lowerings_agree() {
    constexpr bool is_float = std::is_same_v<S, float>;
    they_agree<planned<Which, S>, reference<Which, S>>(is_float ? 1e-5 : 1e-12);
    they_agree_around_blocks<planned<Which, S>, reference<Which, S>>(is_float ? 1e-4 : 1e-11);
}

} // namespace support
