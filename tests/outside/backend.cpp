// SPDX-License-Identifier: BSL-1.0
// A backend from outside gives the numbers of the reference, in a step and over time.
#include "loops.hpp"
#include "numbers.hpp"
#include "radial.hpp"
#include <doctest/doctest.h>
#include <sluice/xtensor/reference.hpp>

namespace outside_backend_test {

using namespace outside;

TEST_CASE("outside: a backend gives the numbers of the reference, of rows of unequal lengths too") {
    sluice::cell<radial, double, by_loops> const mine(extents, sluice::seed{7});
    sluice::cell<radial, double, sluice::xtensor::reference> const theirs(extents, sluice::seed{7});
    auto const xs = numbers<3>({4, 3, 3}, "xs"), dys = numbers<3>({4, 3, 5}, "dys");
    auto state = mine.zero_state(3);
    auto other_state = theirs.zero_state(3);
    state["h"_s] = other_state["h"_s] = numbers<2>({3, 5}, "h");
    for (std::vector<std::size_t> const& lengths : {std::vector<std::size_t>{}, {4, 0, 2}}) {
        auto const run = unroll(mine, xs, state, {.lengths = lengths});
        auto const other = unroll(theirs, xs, other_state, {.lengths = lengths});
        CHECK(xt::amax(xt::abs(other.outputs))() > 0.1);
        CHECK(xt::amax(xt::abs(run.outputs - other.outputs))() < 1e-12);
        CHECK(xt::amax(xt::abs(run.state["h"_s] - other.state["h"_s]))() < 1e-12);

        auto const found = backward(mine, run, dys), expected = backward(theirs, other, dys);
        CHECK(xt::amax(xt::abs(found.inputs - expected.inputs))() < 1e-12);
        sluice::for_each_parameter(found.parameters, [&](auto key, auto const& gradient) {
            CHECK(xt::amax(xt::abs(expected.parameters[key]))() > 1e-3);
            CHECK(xt::amax(xt::abs(gradient - expected.parameters[key]))() < 1e-12);
        });
    }
}

TEST_CASE("outside: a step by a backend is that of the reference") {
    sluice::cell<radial, double, by_loops> const mine(extents, sluice::seed{7});
    sluice::cell<radial, double, sluice::xtensor::reference> const theirs(extents, sluice::seed{7});
    auto state = mine.zero_state(2);
    auto other_state = theirs.zero_state(2);
    state["h"_s] = other_state["h"_s] = numbers<2>({2, 5}, "h");
    auto const x_t = numbers<2>({2, 3}, "x");
    CHECK(xt::amax(xt::abs(mine(x_t, state).output - theirs(x_t, other_state).output))() < 1e-12);
}

} // namespace outside_backend_test
