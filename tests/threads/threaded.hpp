// SPDX-License-Identifier: BSL-1.0
// What cells whose work is divided give, beside what they give alone.
#pragma once

#include <doctest/doctest.h>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/threaded.hpp>
#include <support/tensors.hpp>
#include <support/threads_there.hpp>

namespace threaded_test {

using namespace support;
using sluice::xtensor::team, sluice::xtensor::threaded, sluice::xtensor::planned;

using threads = threads_there;

template <class Page, class Policy, sluice::sizes N>
auto made() {
    sluice::cell<Page, float, Policy> cell(N, sluice::seed{3});
    randomize(cell, 0.2);
    return cell;
}

template <class Cell>
struct answer {
    xt::xtensor<float, 3> outputs, inferred, live;
    typename Cell::state_type state;
    decltype(sluice::backward(std::declval<Cell>(), std::declval<sluice::run_of<Cell>>(),
                              xt::xtensor<float, 3>{})) gradients;
};

/// Everything that runs plans.
template <class Cell>
auto ask(Cell const& cell, std::size_t time, std::size_t batch, std::vector<std::size_t> lengths = {}) {
    auto const xs = random_sequence<float>(time, batch, cell.extents().input);
    auto const state = random_map(cell.zero_state(batch), "state");
    auto run = unroll(cell, xs, state, {.lengths = lengths});
    auto const dys = random_like(run.outputs, "dys");
    sluice::stream live(cell, batch);
    live.set_state(state);
    auto ys = run.outputs;
    for (std::size_t t = 0; t < time; ++t)
        xt::view(ys, t) = live.step(xt::xtensor<float, 2>(xt::view(xs, t)));
    return answer<Cell>{.outputs = run.outputs,
                        .inferred = infer(cell, xs, state, {.lengths = lengths}).outputs,
                        .live = ys,
                        .state = run.state,
                        .gradients = backward(cell, run, dys, state)};
}

template <class A, class B>
bool same(A const& a, B const& b) {
    return same_bits(a.outputs, b.outputs) && same_bits(a.inferred, b.inferred) &&
           same_bits(a.live, b.live) && same_map(a.state, b.state) &&
           same_bits(a.gradients.inputs, b.gradients.inputs) &&
           same_map(a.gradients.parameters, b.gradients.parameters) &&
           same_map(a.gradients.state, b.gradients.state);
}

/// With rows that end early, where there are several, or with all as long.
template <class Page, sluice::sizes N>
void agree_with(std::size_t batch, bool ends_early) {
    auto const cell = made<Page, threaded, N>();
    auto const alone = made<Page, planned, N>();
    std::vector<std::size_t> lengths;
    for (std::size_t r = 0; ends_early && r < batch; ++r)
        lengths.push_back((5 * r + 3) % 4);
    auto const expected = ask(alone, 3, batch, lengths);
    for (std::size_t const count : std::initializer_list<std::size_t>{1, 2, 3, 5}) {
        threads const there(count);
        CAPTURE(batch);
        CAPTURE(count);
        for (int again = 0; again < 2; ++again)
            CHECK(same(ask(cell, 3, batch, lengths), expected));
    }
}
template <class Page, sluice::sizes N>
void agree() {
    agree_with<Page, N>(1, false);
    agree_with<Page, N>(7, true);
}

} // namespace threaded_test
