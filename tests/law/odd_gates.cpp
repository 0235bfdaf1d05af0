// SPDX-License-Identifier: BSL-1.0
// Odd cells whose gates are other gates, the input, parameters or settings, and one without an activation
// that counts.
#include "odd_cells.hpp"

namespace odd_gates_test {

using namespace sluice::equation;

namespace {

constexpr auto f = gate<"f">;
constexpr auto g = gate<"g">;
constexpr auto k = gate<"k">;
constexpr auto scale = setting<"scale">;

struct aliases {
    static constexpr auto equations =
        sluice::lines(k = x, f = sigmoid(k * W<"f"> + h * R<"f"> + b<"f">), g = f,
                      next(h) = g * h + (1 - f) * identity(h * R<"n"> + b<"f">), output = k);
};

struct of_parameters {
    static constexpr auto equations = sluice::lines(f = sigmoid(b<"f">), g = tanh(p<"g"> + f * p<"g">),
                                                    next(h) = f * h + (1 - f) * tanh(x * W<"n"> + g * h) + g);
};

struct linear {
    static constexpr auto equations = sluice::lines(
        f = identity(h), next(h) = identity(identity(f * p<"a">)) + x * W<"x">, output = identity(next(h)));
};

struct with_settings {
    static constexpr auto equations =
        sluice::lines(f = sigmoid(scale), next(h) = f * h + scale * tanh(x * W<"n"> - scale * p<"n">) - 1);
};

} // namespace

TEST_CASE("odd cells: gates that are another gate or the input; a bias in two gates") {
    odd::check<aliases>({.input = 3, .units = 5});
}

TEST_CASE("odd cells: gates of parameters only") {
    odd::check<of_parameters>({.input = 3, .units = 5});
}

TEST_CASE("odd cells: gradients that are the seeds themselves") {
    odd::check<linear>({.input = 3, .units = 5});
}

TEST_CASE("odd cells: gates of settings only") {
    odd::check<with_settings>({.input = 3, .units = 5}, {{"scale", 0.7}});
}

} // namespace odd_gates_test
