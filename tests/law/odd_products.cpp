// SPDX-License-Identifier: BSL-1.0
// Odd cells whose products share a gradient, or stand in a row.
#include "odd_cells.hpp"

namespace odd_products_test {

using namespace sluice::equation;

namespace {

struct one_gradient_for_two_matrices {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(x * W<"a"> + x * W<"b"> + h * R<"a"> + h * R<"b">));
};

struct product_of_a_product {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh((x * W<"a", 4>)*W<"b"> + (h * R<"a", 2>)*R<"b">));
};

} // namespace

TEST_CASE("odd cells: one gradient feeds two matrices") {
    odd::check<one_gradient_for_two_matrices>({.input = 3, .units = 5});
}

TEST_CASE("odd cells: a product of a product") {
    odd::check<product_of_a_product>({.input = 3, .units = 5});
}

} // namespace odd_products_test
