// SPDX-License-Identifier: BSL-1.0
// Cells whose states and outputs are not what one expects of them.
#pragma once

#include <sluice/xtensor.hpp>

namespace state_cells {

using namespace sluice::equation;

constexpr auto first = state<"first">;
constexpr auto second = state<"second">;
constexpr auto third = state<"third">;

struct never_read {
    static constexpr auto equations = sluice::lines(next(h) = x * W<"h">);
};
struct swapped {
    static constexpr auto equations =
        sluice::lines(next(first) = second, next(second) = first, output = x * W<"y"> + first * second);
};
/// y_t = (x_(t-3) + 2 x_(t-2)) W: states that are delays, outside any loop.
struct delayed {
    static constexpr auto a = state<"first", size<"input">>;
    static constexpr auto b = state<"second", size<"input">>;
    static constexpr auto c = state<"third", size<"input">>;
    static constexpr auto equations =
        sluice::lines(next(a) = x, next(b) = a, next(c) = b, output = (c + 2_n * b) * W<"y", 4>);
};
struct before {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h">), output = h);
};
struct passed {
    static constexpr auto equations = sluice::lines(next(h) = h + tanh(x * W<"h">), output = x);
};
struct constant {
    static constexpr auto equations =
        sluice::lines(next(h) = softplus(p<"rate">) * h + exp(b<"log">) * tanh(x * W<"h">));
};
/// Two states side by side in products, normalised over the features, with a column and one of the states
/// unread.
struct mixed {
    static constexpr auto g = gate<"g">;
    static constexpr auto equations = sluice::lines(
        g = (concat(first, second) * R<"g"> + x * W<"g">) / (1 + sum(first * first)),
        next(first) = sigmoid(g), next(second) = slice<0, units>(concat(g, first)) - mean(second),
        next(third) = max(g, first), output = concat(next(second), next(first)));
};
/// A number of its own, and no input.
struct alone {
    static constexpr auto equations = sluice::lines(next(h) = scalar<"alpha"> * tanh(h * R<"h">));
};
/// A state that stays what it is, and one that is two steps late; the gradient of the bias is the sum of what
/// is carried.
struct kept {
    static constexpr auto equations = sluice::lines(
        next(first) = first, next(second) = third,
        next(third) = tanh(x * W<"h"> + third * R<"h"> + first) + second + b<"h">, output = tanh(third));
};

} // namespace state_cells
