// SPDX-License-Identifier: BSL-1.0
// Odd cells without an activation that counts, and with numbers that are given.
#include "odd_cells.hpp"

namespace odd_linear_test {

using namespace sluice::equation;

namespace {

constexpr auto f = gate<"f">;
constexpr auto scale = setting<"scale">;

struct linear {
    static constexpr auto equations = sluice::lines(
        f = identity(h), next(h) = identity(identity(f * p<"a">)) + x * W<"x">, output = identity(next(h)));
};

struct with_settings {
    static constexpr auto equations =
        sluice::lines(f = sigmoid(scale), next(h) = f * h + scale * tanh(x * W<"n"> - scale * p<"n">) - 1);
};

} // namespace

TEST_CASE("odd cells: gradients that are the seeds themselves") {
    odd::check<linear>({.input = 3, .units = 5});
}

TEST_CASE("odd cells: gates of settings only") {
    odd::check<with_settings>({.input = 3, .units = 5}, {{"scale", 0.7}});
}

} // namespace odd_linear_test
