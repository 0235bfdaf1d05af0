// SPDX-License-Identifier: BSL-1.0
// To learn from a long sequence takes no memory for the matrix states of all its steps
// (execute/replayed.hpp).
#include "allocations.hpp"
#include <cmath>
#include <support/matrix_cells.hpp>

TEST_CASE("allocations: 20,000 steps of a matrix state, 1.15 GB of it, are learnt from in a fifth of that") {
    constexpr std::size_t steps = 20'000, width = 120, mega = 1'000'000;
    static_assert(steps * width * width * sizeof(float) > 1150 * mega);
    sluice::cell<matrix_cells::linear_attention> const cell(
        {.input = 1, .own = {{"keys", width}, {"values", width}}}, sluice::seed{7});
    xt::xtensor<float, 3> const xs = 1e-3f * xt::ones<float>({steps, std::size_t(1), std::size_t(1)});
    auto const state = cell.zero_state(1);
    std::size_t const before = lower::most_bytes = lower::bytes.load();
    auto const run = sluice::unroll(cell, xs, state);
    auto const found = sluice::backward(cell, run, run.outputs);
    CHECK(std::isfinite(found.inputs(0, 0, 0)));
    CHECK(lower::most_bytes - before < 230 * mega);
    CHECK(lower::most_bytes - before > 40 * mega); // vectors of all steps are kept
}
