// SPDX-License-Identifier: BSL-1.0
// Odd cells whose products share operands, gradients or weights.
#include "odd_cells.hpp"

using namespace sluice::equation;

namespace {

constexpr auto one_gradient_for_two_matrices =
    sluice::equations(next(h) = tanh(x * W<"a"> + x * W<"b"> + h * R<"a"> + h * R<"b">));

constexpr auto product_of_a_product =
    sluice::equations(next(h) = tanh((x * W<"a", 4>)*W<"b"> + (h * R<"a", 2>)*R<"b">));

constexpr auto v = input_of<units>;
constexpr auto one_matrix_for_two_operands =
    sluice::equations(next(h) = tanh(v * W<"a"> + h * W<"a"> + b<"a">));

constexpr auto f = gate<"f">;
constexpr auto n = gate<"n">;
constexpr auto one_product_in_two_gates = sluice::equations(
    f = sigmoid(x * W<"f"> + h * R<"f">), n = tanh(h * R<"f"> - x * W<"f">), next(h) = f * h - n);

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
