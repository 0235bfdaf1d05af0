// SPDX-License-Identifier: BSL-1.0
#include "stack_check.hpp"
#include <sluice/cells/gru.hpp>

TEST_CASE_TEMPLATE("a stack is its layers one after the other: GRU", S, float, double) {
    stacks::check_by_hand<sluice::gru, S>({.input = 3, .units = 5});
}
TEST_CASE("a stack is its layers one after the other: GRU on the reference backend") {
    stacks::check_by_hand<sluice::gru, double, sluice::xtensor::reference>({.input = 3, .units = 5});
}
