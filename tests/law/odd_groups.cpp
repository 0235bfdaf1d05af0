// SPDX-License-Identifier: BSL-1.0
// Odd cells with products over feature groups.
#include "odd_cells.hpp"

namespace odd_groups_test {

using namespace sluice::equation;

namespace {

struct one_gradient_for_grouped_and_dense {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(x * grouped(W<"a">) + x * W<"b"> + h * R<"a"> + h * grouped(R<"b">)));
};

struct linear_groups {
    static constexpr auto equations = sluice::lines(next(h) = h * grouped(R<"a">) - h * grouped(R<"b">),
                                                    output = h * grouped(R<"c">) + x * grouped(W<"a">));
};

} // namespace

TEST_CASE("odd cells: one gradient feeds grouped and dense matrices") {
    odd::check<one_gradient_for_grouped_and_dense>({.input = 4, .units = 6, .groups = 2});
}

TEST_CASE("odd cells: grouped products whose gradients are the seeds") {
    odd::check<linear_groups>({.input = 4, .units = 6, .groups = 2});
}

} // namespace odd_groups_test
