// SPDX-License-Identifier: BSL-1.0
#include "stack_check.hpp"
#include <sluice/cells/lstm.hpp>

TEST_CASE("a stack is its layers one after the other: LSTM") {
    stacks::check_by_hand<sluice::lstm, double>({.input = 3, .units = 5});
}
TEST_CASE("a stack is its layers one after the other: LSTM with a projection, h narrower than c") {
    stacks::check_by_hand<sluice::projected_lstm, float>({.input = 4, .units = 5, .projection = 3});
}
