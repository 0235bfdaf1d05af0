// SPDX-License-Identifier: BSL-1.0
// Odd cells whose states are not what one expects of a state, or have widths of their own.
#include "odd_cells.hpp"

#include <support/state_cells.hpp>

namespace odd_states_test {

using namespace sluice::equation;

namespace {

constexpr auto m = state<"m", 2>;
constexpr auto last = state<"last", size<"input">>;

struct delayed {
    static constexpr auto equations =
        sluice::lines(next(last) = x, next(h) = h, output = (x - last) * W<"y"> + h);
};

struct own_widths {
    static constexpr auto equations =
        sluice::lines(next(m) = tanh(x * W<"m"> + next(h) * R<"m">), next(h) = tanh(m * R<"h"> + h * p<"h">),
                      output = next(m) * W<"y", 4> + m * R<"y">);
};

} // namespace

TEST_CASE("odd cells: a state that is never read") {
    odd::check<state_cells::never_read>({.input = 3, .units = 5});
}

TEST_CASE("odd cells: two states that change places") {
    odd::check<state_cells::swapped>({.input = 3, .units = 5});
}

TEST_CASE("odd cells: the last input as a state, and a state that stays") {
    odd::check<delayed>({.input = 3, .units = 5});
}

TEST_CASE("odd cells: widths of one's own, and a state from the next value of another") {
    odd::check<own_widths>({.input = 3, .units = 5});
}

} // namespace odd_states_test
