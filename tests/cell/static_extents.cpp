// SPDX-License-Identifier: BSL-1.0
// Sizes that stand in the type of a cell.
#include <doctest/doctest.h>
#include <mgu/mgu.hpp>
#include <sluice/cells/gru.hpp>
#include <support/tensors.hpp>

namespace static_extents_test {

using namespace support;
using doctest::Contains;

TEST_CASE_TEMPLATE("static extents: a cell whose sizes are in its type needs a seed only", S, float, double) {
    using open = sluice::cell<::mgu, S>;
    using fixed = sluice::cell<::mgu, S, sluice::extents<sluice::sizes{.input = 3, .units = 5}>>;
    open const expected({.input = 3, .units = 5}, sluice::seed{9});
    fixed const cell(sluice::seed{9});
    CHECK(cell.extents() == expected.extents());
    CHECK(same_map(cell.parameters(), expected.parameters()));
    CHECK(same_map(fixed().parameters(), fixed(sluice::seed{}).parameters()));

    auto const xs = random_sequence<S>(4, 2, 3);
    auto const run = unroll(cell, xs, cell.zero_state(2));
    auto const expected_run = unroll(expected, xs, expected.zero_state(2));
    CHECK(same_bits(run.outputs, expected_run.outputs));
    CHECK(same_map(backward(cell, run, run.outputs).parameters,
                   backward(expected, expected_run, run.outputs).parameters));
}

TEST_CASE("static extents: run-time sizes may repeat those of the type, not contradict them") {
    using fixed = sluice::cell<::mgu, sluice::extents<sluice::sizes{.input = 3, .units = 5}>>;
    CHECK_NOTHROW(fixed({.input = 3}));
    CHECK_NOTHROW(fixed({.input = 3, .units = 5}));
    CHECK_THROWS_WITH_AS(fixed({.input = 4}),
                         Contains("the type of the cell says input = 3, but 4 was given"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(fixed({.units = 6}), Contains("units = 5, but 6"), std::invalid_argument);
    CHECK_THROWS_AS(fixed({.groups = 2}), std::invalid_argument);

    // only some of them in the type
    using half = sluice::cell<::mgu, sluice::extents<sluice::sizes{.units = 5}>>;
    CHECK(half({.input = 2}).extents() == sluice::sizes{.input = 2, .units = 5});
    CHECK_THROWS_AS(half(sluice::sizes{}), std::invalid_argument);
    CHECK_THROWS_AS(half({.input = 2, .units = 4}), std::invalid_argument);
}

TEST_CASE("static extents: stock cells too") {
    using fixed = sluice::cell<sluice::gru, sluice::extents<sluice::sizes{.input = 3, .units = 5}>>;
    CHECK(fixed().parameter_count() == 3 * 5 * (3 + 5) + 3 * 5);
    CHECK_THROWS_AS(fixed({.input = 2}), std::invalid_argument);
}

} // namespace static_extents_test
