// SPDX-License-Identifier: BSL-1.0
// Odd cells with products in a row before and after the loop, and sums that the plan takes apart.
#include "odd_cells.hpp"

namespace odd_chains_test {

using namespace sluice::equation;

namespace {

struct before_and_after {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(tanh(x * W<"a", 4>) * W<"b"> + h * R<"h">),
                      output = (sigmoid(next(h) * W<"c", 2>) * W<"d", 3>)*tanh(h * W<"e">));
};

struct difference_between_two_products {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(h * R<"a"> + (-h) * p<"c"> + h * R<"b"> - (x * W<"a"> - x * W<"b">)));
};

} // namespace

TEST_CASE("odd cells: chains of products before and after the loop") {
    odd::check<before_and_after>({.input = 3, .units = 5});
}

TEST_CASE("odd cells: a difference between two products of one left side") {
    odd::check<difference_between_two_products>({.input = 3, .units = 5});
}

} // namespace odd_chains_test
