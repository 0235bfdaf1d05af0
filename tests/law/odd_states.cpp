// SPDX-License-Identifier: BSL-1.0
// Odd cells whose states are not what one expects of a state.
#include "odd_cells.hpp"

namespace odd_states_test {

using namespace sluice::equation;

namespace {

constexpr auto first = state<"first">;
constexpr auto second = state<"second">;

struct never_read {
    static constexpr auto equations = sluice::lines(next(h) = x * W<"h">);
};

struct swapped {
    static constexpr auto equations =
        sluice::lines(next(first) = second, next(second) = first, output = x * W<"y"> + first * second);
};

} // namespace

TEST_CASE("odd cells: a state that is never read") {
    odd::check<never_read>({.input = 3, .units = 5});
}

TEST_CASE("odd cells: two states that change places") {
    odd::check<swapped>({.input = 3, .units = 5});
}

} // namespace odd_states_test
