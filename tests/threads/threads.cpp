// SPDX-License-Identifier: BSL-1.0
// One cell, several threads: what each of them gets is what one alone gets, to the bit.
#include <array>
#include <barrier>
#include <doctest/doctest.h>
#include <sluice/xtensor.hpp>
#include <support/own_cells.hpp>
#include <support/tensors.hpp>
#include <thread>

using namespace support;
using namespace sluice::literals;

namespace {

constexpr std::size_t thread_count = 4;
constexpr std::size_t rounds = 5;

using cell_type = sluice::cell<own_cells::traced, float>;

/// What a thread asks of the cell: sequences of its own length and batch.
struct work {
    std::size_t time, batch;
    std::vector<std::size_t> lengths{};
    std::string called{};
};

struct answer {
    cell_type::output_type y;
    xt::xtensor<float, 3> outputs;
    cell_type::state_type state;
    decltype(sluice::backward(std::declval<cell_type>(), std::declval<sluice::run_of<cell_type>>(),
                              xt::xtensor<float, 3>{})) gradients;
};

answer ask(cell_type const& cell, work const& w) {
    auto const xs = random_sequence<float>(w.time, w.batch, own_cells::extents.input, w.called);
    auto const state = random_map(cell.zero_state(w.batch), w.called);
    auto const run = unroll(cell, xs, state, {.lengths = w.lengths});
    auto const dys = random_like(run.outputs, w.called + " back");
    return {.y = cell(xt::xtensor<float, 2>(xt::view(xs, 0)), state).output,
            .outputs = run.outputs,
            .state = run.state,
            .gradients = backward(cell, run, dys, state)};
}

bool same(answer const& a, answer const& b) {
    return same_bits(a.y, b.y) && same_bits(a.outputs, b.outputs) && same_map(a.state, b.state) &&
           same_map(a.gradients.parameters, b.gradients.parameters) &&
           same_bits(a.gradients.inputs, b.gradients.inputs) &&
           same_map(a.gradients.state, b.gradients.state);
}

/// Runs f(0) ... f(3) at the same time.
template <class F>
void at_once(F f) {
    std::barrier start(std::ptrdiff_t{thread_count});
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < thread_count; ++i)
        threads.emplace_back([&, i] {
            start.arrive_and_wait();
            f(i);
        });
}

cell_type make() {
    cell_type cell(own_cells::extents, sluice::seed{3});
    randomize(cell);
    cell.set_setting("leak"_s, float(own_cells::leak));
    return cell;
}

} // namespace

TEST_CASE("threads: forward and backward of one cell, as if each were alone") {
    std::array<work, thread_count> const works{
        {{5, 3, {}, "a"}, {7, 2, {7, 3}, "b"}, {5, 3, {5, 0, 2}, "c"}, {3, 11, {}, "d"}}};
    cell_type const cell = make();
    std::vector<answer> alone;
    for (work const& w : works)
        alone.push_back(ask(make(), w));
    CHECK_FALSE(same_bits(alone[0].outputs, alone[2].outputs)); // of the same shape, with lengths and without

    std::array<std::size_t, thread_count> as_expected{};
    at_once([&](std::size_t i) {
        for (std::size_t round = 0; round < rounds; ++round)
            as_expected[i] += same(ask(cell, works[i]), alone[i]);
    });
    for (std::size_t i = 0; i < thread_count; ++i) {
        CAPTURE(works[i].called);
        CHECK(as_expected[i] == rounds);
    }
}

TEST_CASE("threads: one run goes backward, and one cell is copied and changed, on every thread") {
    cell_type const cell = make();
    auto const xs = random_sequence<float>(5, 3, own_cells::extents.input);
    auto const run = unroll(cell, xs, cell.zero_state(3));
    auto const dys = random_like(run.outputs, "dys");
    auto const alone = backward(cell, run, dys);

    std::array<std::size_t, thread_count> as_expected{};
    at_once([&](std::size_t i) {
        for (std::size_t round = 0; round < rounds; ++round) {
            auto const g = backward(cell, run, dys);
            auto copy = cell;
            copy.assign("b_z"_s, xt::xtensor<float, 1>(-cell.parameters()["b_z"_s]));
            as_expected[i] += same_map(g.parameters, alone.parameters) && same_bits(g.inputs, alone.inputs) &&
                              copy.version() != cell.version() &&
                              !same_bits(unroll(copy, xs, copy.zero_state(3)).outputs, run.outputs);
        }
    });
    for (std::size_t const count : as_expected)
        CHECK(count == rounds);
    CHECK(same_bits(unroll(cell, xs, cell.zero_state(3)).outputs, run.outputs));
}

TEST_CASE("threads: streams of one cell step at the same time, as if each were alone") {
    cell_type const cell = make();
    auto const outputs = [&](std::size_t i) {
        auto const xs =
            random_sequence<float>(20, 2, own_cells::extents.input, "stream " + std::to_string(i));
        sluice::stream live(cell, 2);
        auto found = xt::xtensor<float, 3>::from_shape({20, 2, own_cells::extents.projection});
        for (std::size_t t = 0; t < 20; ++t)
            xt::view(found, t) = live.step(xt::view(xs, t));
        return found;
    };
    std::vector<xt::xtensor<float, 3>> alone;
    for (std::size_t i = 0; i < thread_count; ++i)
        alone.push_back(outputs(i));
    std::array<std::size_t, thread_count> as_expected{};
    at_once([&](std::size_t i) {
        for (std::size_t round = 0; round < rounds; ++round)
            as_expected[i] += same_bits(outputs(i), alone[i]);
    });
    for (std::size_t const count : as_expected)
        CHECK(count == rounds);
}
