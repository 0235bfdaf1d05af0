// SPDX-License-Identifier: BSL-1.0
// Cells with approximate activations.
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/fast.hpp>

#include <doctest/doctest.h>
#include <support/tensors.hpp>

namespace fast_test {

using namespace support;

namespace {

template <class Backend>
auto run_gru(std::size_t steps) {
    sluice::cell<sluice::gru, float, Backend> cell({.input = 3, .units = 37});
    randomize(cell);
    auto const xs = random_sequence<float>(steps, 5, 3);
    auto const run = unroll(cell, xs, random_map(cell.zero_state(5), "state"));
    auto const g = backward(cell, run, random_like(run.outputs, "dys"));
    return std::pair(run.outputs, g.parameters);
}

} // namespace

TEST_CASE("fast: the policy computes nearly the same, and not the same") {
    auto const [y, g] = run_gru<sluice::xtensor::planned>(9);
    auto const [fast_y, fast_g] = run_gru<sluice::xtensor::fast>(9);
    CHECK(distance(fast_y, y) < 2e-4);
    CHECK(distance(fast_y, y) > 1e-7);
    CHECK(map_distance(fast_g, g) < 2e-3);
}

} // namespace fast_test
