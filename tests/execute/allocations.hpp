// SPDX-License-Identifier: BSL-1.0
// What a page asks of memory and of locks, step by step and over sequences. allocations.cpp counts.
#pragma once

#include <atomic>
#include <doctest/doctest.h>
#include <sluice/net/planned_engine.hpp>
#include <sluice/xtensor.hpp>
#include <type_traits>
#include <vector>

namespace lower {

/// Of the whole program; with the sanitizers for addresses and threads there are no locks among them.
extern std::atomic<std::size_t> allocations, locks;
/// That are in use, and the most that were.
extern std::atomic<std::size_t> bytes, most_bytes;

template <class Page>
inline constexpr sluice::sizes sizes_of{.input = 4, .units = 8};

/// What a step or a sequence of the page is given, from tensors of two inputs.
template <class Page>
inline constexpr auto inputs_of = [](auto const& x, auto const&) -> auto const& {
    return x;
};

/// Allocations and locks of f.
template <class F>
std::size_t asked_by(F const& f) {
    std::size_t const before = allocations + locks;
    f();
    return allocations + locks - before;
}

template <class Page, class Cell>
std::size_t asked_by_steps(Cell const& cell, std::size_t batch) {
    sluice::stream live(cell, batch);
    xt::xtensor<float, 2> const x = 0.5f * xt::ones<float>({batch, cell.input_size()}),
                                context = xt::ones<float>({batch, std::size_t(2)});
    auto const step = [&] { live.step(inputs_of<Page>(x, context)); };
    step();
    return asked_by([&] {
        for (int t = 0; t < 5; ++t)
            step();
    });
}

/// Of a sequence whose memory is in the pool already: its results.
template <class Page, class Cell>
std::size_t asked_by_sequence(Cell const& cell, std::size_t steps, std::size_t batch) {
    xt::xtensor<float, 3> const xs = xt::ones<float>({steps, batch, cell.input_size()}),
                                context = xt::ones<float>({steps, batch, std::size_t(2)});
    auto const state = cell.zero_state(batch);
    auto const run = [&] { (void)infer(cell, inputs_of<Page>(xs, context), state); };
    run(), run();
    return asked_by(run);
}

template <class Page>
void asks_for_nothing() {
    constexpr sluice::sizes own = sizes_of<Page>;
    sluice::cell<Page> const open(own, sluice::seed{7});
    sluice::cell<Page, sluice::extents<own>> const fixed(sluice::seed{7});
    using steps = sluice::planned_stepper<float, typename sluice::cell<Page>::lowering_type::kernels_type>;
    static_assert(noexcept(std::declval<steps&>().step(nullptr)));
    for (std::size_t const batch : {1u, 3u}) {
        CAPTURE(batch);
        CHECK(asked_by_steps<Page>(open, batch) == 0);
        CHECK(asked_by_steps<Page>(fixed, batch) == 0);
        std::size_t const of_results = asked_by_sequence<Page>(open, 1, batch);
        CHECK(of_results > 0);
        CHECK(asked_by_sequence<Page>(open, 10, batch) == of_results);
        CHECK(asked_by_sequence<Page>(open, 80, batch) == of_results);
        // In several parts (execute/parts.hpp).
        CHECK(asked_by_sequence<Page>(open, 1000, batch) == of_results);
    }
}

} // namespace lower
