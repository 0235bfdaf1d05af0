// SPDX-License-Identifier: BSL-1.0
// Odd cells whose gates are other gates, the input, or nothing but parameters.
#include "odd_cells.hpp"

namespace odd_gates_test {

using namespace sluice::equation;

namespace {

constexpr auto f = gate<"f">;
constexpr auto g = gate<"g">;
constexpr auto k = gate<"k">;

struct aliases {
    static constexpr auto equations =
        sluice::lines(k = x, f = sigmoid(k * W<"f"> + h * R<"f"> + b<"f">), g = f,
                      next(h) = g * h + (1 - f) * identity(h * R<"n"> + b<"f">), output = k);
};

struct of_parameters {
    static constexpr auto equations = sluice::lines(f = sigmoid(b<"f">), g = tanh(p<"g"> + f * p<"g">),
                                                    next(h) = f * h + (1 - f) * tanh(x * W<"n"> + g * h) + g);
};

} // namespace

TEST_CASE("odd cells: gates that are another gate or the input; a bias in two gates") {
    odd::check<aliases>({.input = 3, .units = 5});
}

TEST_CASE("odd cells: gates of parameters only") {
    odd::check<of_parameters>({.input = 3, .units = 5});
}

} // namespace odd_gates_test
