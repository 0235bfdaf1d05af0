// SPDX-License-Identifier: BSL-1.0
// Odd cells with products over feature groups, and products of those.
#include "odd_cells.hpp"

namespace odd_groups_test {

using namespace sluice::equation;

namespace {

constexpr auto u = gate<"u">;
constexpr auto v = gate<"v">;

struct one_gradient_for_grouped_and_dense {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(x * grouped(W<"a">) + x * W<"b"> + h * R<"a"> + h * grouped(R<"b">)));
};

struct linear_groups {
    static constexpr auto equations = sluice::lines(next(h) = h * grouped(R<"a">) - h * grouped(R<"b">),
                                                    output = h * grouped(R<"c">) + x * grouped(W<"a">));
};

struct dense_behind_grouped {
    static constexpr auto equations =
        sluice::lines(u = x * grouped(W<"u", units>), v = x * grouped(W<"v", units>),
                      next(h) = tanh(u * W<"p"> + v * W<"q"> + h * R<"h"> + u));
};

struct grouped_behind_grouped {
    static constexpr auto equations =
        sluice::lines(u = h * grouped(R<"u", units>), v = h * grouped(R<"v", units>),
                      next(h) = tanh(x * W<"x"> + u * grouped(R<"p">) + v * grouped(R<"q">) - 0.5_n * v));
};

} // namespace

TEST_CASE("odd cells: one gradient feeds grouped and dense matrices") {
    odd::check<one_gradient_for_grouped_and_dense>({.input = 4, .units = 6, .groups = 2});
}

TEST_CASE("odd cells: grouped products whose gradients are the seeds") {
    odd::check<linear_groups>({.input = 4, .units = 6, .groups = 2});
}

TEST_CASE("odd cells: dense products of grouped products") {
    odd::check<dense_behind_grouped>({.input = 4, .units = 6, .groups = 2});
}

TEST_CASE("odd cells: grouped products of grouped products") {
    odd::check<grouped_behind_grouped>({.input = 4, .units = 6, .groups = 2});
}

} // namespace odd_groups_test
