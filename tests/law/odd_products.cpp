// SPDX-License-Identifier: BSL-1.0
// Odd cells whose products share a gradient, a matrix or a left side, stand in a row, or are shared
// themselves.
#include "odd_cells.hpp"

namespace odd_products_test {

using namespace sluice::equation;

namespace {

constexpr auto v = input_of<units>;
constexpr auto f = gate<"f">;
constexpr auto n = gate<"n">;

struct one_gradient_for_two_matrices {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(x * W<"a"> + x * W<"b"> + h * R<"a"> + h * R<"b">));
};

struct product_of_a_product {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh((x * W<"a", 4>)*W<"b"> + (h * R<"a", 2>)*R<"b">));
};

struct one_matrix_for_two_operands {
    static constexpr auto equations = sluice::lines(next(h) = tanh(v * W<"a"> + h * W<"a"> + b<"a">));
};

struct one_product_in_two_gates {
    static constexpr auto equations = sluice::lines(f = sigmoid(x * W<"f"> + h * R<"f">),
                                                    n = tanh(h * R<"f"> - x * W<"f">), next(h) = f * h - n);
};

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

TEST_CASE("odd cells: one gradient feeds two matrices") {
    odd::check<one_gradient_for_two_matrices>({.input = 3, .units = 5});
}

TEST_CASE("odd cells: a product of a product") {
    odd::check<product_of_a_product>({.input = 3, .units = 5});
}

TEST_CASE("odd cells: one matrix for the input and the state") {
    odd::check<one_matrix_for_two_operands>({.input = 4, .units = 4});
}

TEST_CASE("odd cells: one product read by two gates") {
    odd::check<one_product_in_two_gates>({.input = 3, .units = 5});
}

TEST_CASE("odd cells: chains of products before and after the loop") {
    odd::check<before_and_after>({.input = 3, .units = 5});
}

TEST_CASE("odd cells: a difference between two products of one left side") {
    odd::check<difference_between_two_products>({.input = 3, .units = 5});
}

} // namespace odd_products_test
