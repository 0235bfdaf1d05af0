// SPDX-License-Identifier: BSL-1.0
// execute/replayed.hpp: values of a run that backward computes again, in parts of every length, with rows
// that end and restart, are those of one part to the bit.
#include <sluice/execute/replayed.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <sluice/cells/delta_net.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/threaded.hpp>
#include <support/matrix_cells.hpp>
#include <support/tensors.hpp>
#include <vector>

namespace replayed_test {

using namespace sluice::literals;

namespace {

constexpr sluice::sizes in_heads{.input = 3, .own = {{"keys", 15}, {"values", 21}, {"heads", 3}}};

/// What is computed again runs in heads by themselves; the loops, which have a mean over all of them, do not.
struct corrected {
    static constexpr auto equations = [] {
        using namespace matrix_cells;
        constexpr auto e = gate<"e">;
        return sluice::lines(k = 0.02_n * (x * W<"k">), v = x * W<"v">, e = v - k * Z,
                             next(Z) = Z + outer<heads>(k, sigmoid(mean(e)) * e), output = k * next(Z));
    }();
};

/// All numbers that backward gives, one after the other.
template <class Cell>
std::vector<double> gradients_of(Cell const& cell, std::size_t steps, sluice::unroll_options options,
                                 std::size_t part) {
    std::size_t const batch = 3;
    auto const xs = support::random_sequence<double>(steps, batch, cell.input_size());
    auto state = cell.zero_state(batch);
    double number = 0.01;
    for (auto& tensor : state.tensors())
        for (double& z : tensor)
            z = number = 0.7 * number + 0.1 * (number < 0.2);
    options.steps_of_part = part;
    auto const run = sluice::unroll(cell, xs, state, options);
    xt::xtensor<double, 3> const up = 0.5 - run.outputs;
    auto final_state = run.state;
    auto const found = sluice::backward(cell, run, up, final_state);
    std::vector<double> all(found.inputs.begin(), found.inputs.end());
    for (auto const& tensor : found.state.tensors())
        all.insert(all.end(), tensor.begin(), tensor.end());
    for (double const z : found.parameters.values())
        all.push_back(z);
    return all;
}

template <class Page, class Policy = sluice::xtensor::planned>
void check(sluice::sizes const& n) {
    sluice::cell<Page, double, Policy> cell(n, sluice::seed{7});
    support::randomize(cell);
    std::size_t const steps = 13;
    xt::xtensor<bool, 2> resets = xt::zeros<bool>({steps, std::size_t(3)});
    resets(0, 0) = resets(4, 1) = resets(5, 1) = resets(8, 0) = resets(12, 2) = true;
    for (sluice::unroll_options const& options : {sluice::unroll_options{},
                                                  {.lengths = {13, 0, 6}},
                                                  {.resets = resets},
                                                  {.lengths = {9, 13, 5}, .resets = resets}}) {
        auto const expected = gradients_of(cell, steps, options, 100);
        CHECK(std::ranges::none_of(expected, [](double z) { return z != z; }));
        for (std::size_t const part : {1u, 2u, 3u, 7u, 12u, 13u, 0u}) {
            CAPTURE(part);
            CHECK(gradients_of(cell, steps, options, part) == expected);
        }
    }
}

} // namespace

TEST_CASE("replayed: the length of a part changes no gradient") {
    check<matrix_cells::gated_attention>(in_heads);
    check<matrix_cells::gated_delta_net>(in_heads);
    check<matrix_cells::shared_key>({.input = 3, .own = {{"keys", 5}, {"values", 7}}});
    check<matrix_cells::mixed>({.input = 3, .units = 10, .own = {{"values", 6}, {"heads", 2}}});
    check<matrix_cells::elementwise>(in_heads);
    check<matrix_cells::nonlinear_memory>(in_heads);
}
TEST_CASE("replayed: on several threads, where backward runs step by step or in heads") {
    std::size_t const before = sluice::xtensor::threads();
    sluice::xtensor::set_threads(3);
    check<matrix_cells::gated_attention, sluice::xtensor::threaded>(in_heads);
    check<corrected, sluice::xtensor::threaded>(
        {.input = 3, .own = {{"keys", 192}, {"values", 198}, {"heads", 3}}});
    sluice::xtensor::set_threads(before);
}

TEST_CASE("replayed: what plans keep and compute again") {
    using all = sluice::plans<matrix_cells::gated_delta_net>;
    int replayed = 0, tasks = 0;
    for (sluice::buffer const& b : all::forward.buffers)
        replayed += b.replayed;
    for (sluice::task const& t : all::forward.tasks)
        tasks += t.replays;
    CHECK(replayed == 1);
    CHECK(tasks == 1); // the second of two passes
    for (sluice::buffer const& b : all::inference.buffers)
        CHECK_FALSE(b.replayed);
}

TEST_CASE("replayed: how long a part is") {
    using sluice::steps_of_part;
    CHECK(steps_of_part(1024, 4 * 64 * 64, 4, 1) == 16); // 64 KiB each: 16 in the cache
    CHECK(steps_of_part(1024, 4 * 64 * 64, 4, 4) == 64); // of one head
    CHECK(steps_of_part(1024, 64, 4, 1) == 1024);        // all are
    CHECK(steps_of_part(100000, 16384, 4, 1) == 317);    // marks of every 16 steps would be 410 MB
    CHECK(steps_of_part(5, std::size_t(1) << 40, 8, 1) == 5);
    CHECK(steps_of_part(1, 1, 4, 1) == 1);
    CHECK(steps_of_part(0, 0, 4, 1) == 1);
    CHECK(steps_of_part(std::size_t(-1), std::size_t(-1), 8, 1) >= 8);
}

} // namespace replayed_test
