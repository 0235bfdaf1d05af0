// SPDX-License-Identifier: BSL-1.0
// Odd cells whose products share a matrix, or are shared themselves.
#include "odd_cells.hpp"

namespace odd_sharing_test {

using namespace sluice::equation;

namespace {

constexpr auto v = input_of<units>;
constexpr auto f = gate<"f">;
constexpr auto n = gate<"n">;

struct one_matrix_for_two_operands {
    static constexpr auto equations = sluice::lines(next(h) = tanh(v * W<"a"> + h * W<"a"> + b<"a">));
};

struct one_product_in_two_gates {
    static constexpr auto equations = sluice::lines(f = sigmoid(x * W<"f"> + h * R<"f">),
                                                    n = tanh(h * R<"f"> - x * W<"f">), next(h) = f * h - n);
};

} // namespace

TEST_CASE("odd cells: one matrix for the input and the state") {
    odd::check<one_matrix_for_two_operands>({.input = 4, .units = 4});
}

TEST_CASE("odd cells: one product read by two gates") {
    odd::check<one_product_in_two_gates>({.input = 3, .units = 5});
}

} // namespace odd_sharing_test
