// SPDX-License-Identifier: BSL-1.0
// Every word of the language, in the lowerings of the CPU.
#include "odd_cells.hpp"

#include <support/word_cells.hpp>

namespace words_test {

using namespace word_cells;

TEST_CASE("words: activations") {
    odd::check<activations>({.input = 3, .units = 11});
}
TEST_CASE("words: activations and functions with kinks") {
    odd::check<with_kinks, false>({.input = 3, .units = 11});
}
TEST_CASE("words: elementary functions, and a number by the name of a constant") {
    odd::check<elementary>({.input = 3, .units = 11});
}
TEST_CASE("words: comparisons") {
    odd::check<comparing, false>({.input = 3, .units = 11});
}
TEST_CASE("words: over the features") {
    odd::check<reducing>({.input = 3, .units = 11});
}
TEST_CASE("words: over the features of groups") {
    odd::check<reducing_groups>({.input = 3, .units = 12, .groups = 2});
    // More than a block of the lowering, where differences would take long: the reference has the gradients.
    odd::check<reducing_groups, false>({.input = 3, .units = 54, .groups = 2});
    odd::check<extremes_of_groups, false>({.input = 3, .units = 54, .groups = 2});
}
TEST_CASE("words: the largest and the smallest of a group have its derivative") {
    sluice::cell<extremes_of_groups, double> cell({.input = 3, .units = 6, .groups = 2});
    support::randomize(cell);
    auto const xs = support::random_sequence<double>(4, 3, 3);
    auto const state = support::random_map(cell.zero_state(3), "state");
    // Moves of a thousandth would change which feature is the largest.
    CHECK(sluice::gradient_check(cell, xs, state, {.step = 1e-4}).worst().largest < 1e-9);
}
TEST_CASE("words: cumulative sums") {
    odd::check<cumulating>({.input = 3, .units = 11});
    odd::check<cumulating, false>({.input = 3, .units = 53}); // as above
}
TEST_CASE("words: a user's scan") {
    odd::check<word_cells::scanning, false>({.input = 3, .units = 11});
    odd::check<word_cells::scanning, false>({.input = 3, .units = 53}); // as above
}
TEST_CASE("words: the last of the largest so far has the derivative of a running maximum") {
    sluice::cell<word_cells::scanning, double> cell({.input = 3, .units = 7});
    support::randomize(cell);
    auto const xs = support::random_sequence<double>(4, 3, 3);
    auto const state = support::random_map(cell.zero_state(3), "state");
    // Moves of a thousandth would change which feature is the largest.
    CHECK(sluice::gradient_check(cell, xs, state, {.step = 1e-5}).worst().largest < 1e-8);
}

TEST_CASE("words: those that are made of others") {
    odd::check<composing>({.input = 3, .units = 10, .groups = 2});
}
TEST_CASE("words: numbers of a row, of one feature") {
    odd::check<narrow>({.input = 3, .units = 11});
    odd::check<narrow>({.input = 3, .units = 1});
    odd::check<narrow, false>({.input = 1, .units = 53}); // as above
}
TEST_CASE("words: steps") {
    odd::check<stepping, false>({.input = 3, .units = 11});
}
TEST_CASE("words: what was some steps ago") {
    odd::check<delaying>({.input = 3, .units = 11});
}
TEST_CASE("words: a delay is a chain of states") {
    sluice::sizes const n{.input = 3, .units = 5};
    sluice::cell<delaying, double> cell(n, sluice::seed{3});
    sluice::cell<delaying_by_hand, double> by_hand(n, sluice::seed{3});
    CHECK(sluice::passes<delaying>::states.size() == sluice::passes<delaying_by_hand>::states.size());
    sluice::for_each_parameter(cell.parameters(), [&](auto key, auto const& t) { by_hand.assign(key, t); });
    auto const xs = support::random_sequence<double>(7, 2, 3);
    auto const run = sluice::unroll(cell, xs, cell.zero_state(2));
    auto const expected = sluice::unroll(by_hand, xs, by_hand.zero_state(2));
    CHECK(run.outputs == expected.outputs);
    using namespace sluice::literals;
    CHECK(run.state["x_t-3"_s] == expected.state["x3"_s]);
    CHECK(run.state["a_t-2"_s] == expected.state["a2"_s]);
    CHECK(run.state["h_t-2"_s] == expected.state["h2"_s]);
}

} // namespace words_test
