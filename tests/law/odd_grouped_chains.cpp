// SPDX-License-Identifier: BSL-1.0
// Odd cells with products of products over feature groups.
#include "odd_cells.hpp"

namespace odd_grouped_chains_test {

using namespace sluice::equation;

namespace {

constexpr auto u = gate<"u">;
constexpr auto v = gate<"v">;

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

TEST_CASE("odd cells: dense products of grouped products") {
    odd::check<dense_behind_grouped>({.input = 4, .units = 6, .groups = 2});
}

TEST_CASE("odd cells: grouped products of grouped products") {
    odd::check<grouped_behind_grouped>({.input = 4, .units = 6, .groups = 2});
}

} // namespace odd_grouped_chains_test
