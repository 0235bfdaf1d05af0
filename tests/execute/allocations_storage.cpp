// SPDX-License-Identifier: BSL-1.0
// Of numbers that are kept in 16 bits: steps allocate nothing, what a run keeps to learn from takes half of
// the memory that it takes in float, and no room grows with the length of a sequence.
#include "allocations.hpp"
#include <sluice/cells/gru.hpp>
#include <sluice/cells/layer_norm_lstm.hpp>
#include <sluice/core/half.hpp>
#include <sluice/xtensor/storage.hpp>
#include <support/matrix_cells.hpp>

namespace {

using sluice::bfloat16;

template <class Page>
std::size_t asked_by_steps_of(sluice::sizes const& n, std::size_t batch) {
    sluice::cell<Page, bfloat16> const cell(n, sluice::seed{7});
    sluice::stream live(cell, batch);
    xt::xtensor<bfloat16, 2> x({batch, cell.input_size()});
    x.fill(bfloat16(0.5f));
    live.step(x); // rooms of this thread
    return lower::asked_by([&] {
        for (int t = 0; t < 5; ++t)
            live.step(x);
    });
}

/// Bytes that a run of so many steps keeps, and the most that it and its gradient have at a time.
template <class S>
std::array<std::size_t, 2> bytes_of(std::size_t steps, std::size_t batch) {
    sluice::cell<sluice::gru, S> const cell({.input = 64, .units = 64}, sluice::seed{7});
    xt::xtensor<S, 3> xs({steps, batch, std::size_t(64)});
    xs.fill(sluice::rounded<S>(0.5f));
    auto const state = cell.zero_state(batch);
    {
        // Rooms of this thread: they do not grow any more.
        sluice::cell<sluice::gru, S> const other({.input = 64, .units = 64}, sluice::seed{7});
        xt::xtensor<S, 3> const some = xt::view(xs, xt::range(0, 500));
        (void)backward(other, unroll(other, some, state), some);
    }
    std::size_t const before = lower::most_bytes = lower::bytes.load();
    auto const run = unroll(cell, xs, state);
    std::size_t const kept = lower::bytes - before;
    (void)backward(cell, run, run.outputs);
    return {kept, lower::most_bytes - before};
}

} // namespace

TEST_CASE("allocations storage: steps in 16 bits allocate nothing and take no lock") {
    for (std::size_t const batch : {1u, 3u, 40u}) {
        CHECK(asked_by_steps_of<sluice::gru>({.input = 4, .units = 8}, batch) == 0);
        CHECK(asked_by_steps_of<sluice::layer_norm_lstm>({.input = 4, .units = 21}, batch) == 0);
        CHECK(asked_by_steps_of<matrix_cells::gated_delta_net>(
                  {.input = 3, .own = {{"keys", 15}, {"values", 21}, {"heads", 3}}}, batch) == 0);
    }
    sluice::cell<sluice::gru, bfloat16, sluice::extents<sluice::sizes{.input = 4, .units = 8}>> const fixed(
        sluice::seed{7});
    sluice::stream live(fixed);
    xt::xtensor<bfloat16, 2> x({1, 4});
    x.fill(bfloat16(0.5f));
    live.step(x);
    CHECK(lower::asked_by([&] { live.step(x); }) == 0);
}

TEST_CASE("allocations storage: what is kept to learn from takes half of the memory") {
    auto const [wide, wide_most] = bytes_of<float>(2000, 3);
    auto const [narrow, narrow_most] = bytes_of<bfloat16>(2000, 3);
    CHECK(wide > 2000 * 3 * 5 * 64 * sizeof(float));
    double const half_of = static_cast<double>(narrow) / static_cast<double>(wide);
    CHECK(half_of > 0.45);
    CHECK(half_of < 0.55);
    CHECK(static_cast<double>(narrow_most) < 0.6 * static_cast<double>(wide_most));
}
