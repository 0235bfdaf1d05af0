// SPDX-License-Identifier: BSL-1.0
#include "stack_check.hpp"

TEST_CASE("a stack is its layers one after the other: a user's cell of two states, its units in the type") {
    using units = sluice::extents<sluice::sizes{.units = 5}>;
    stacks::check_by_hand<stacks::two_states, units, double>({.input = 4, .units = 5});
}
TEST_CASE("a stack is its layers one after the other: cells without a state") {
    stacks::check_by_hand<sluice::dense, double, sluice::xtensor::reference>({.input = 4, .units = 3});
}
