// SPDX-License-Identifier: BSL-1.0
// stream: cells whose states and outputs are not what one expects of them.
#include "stream_check.hpp"

#include <support/cells.hpp>

using namespace sluice::equation;

namespace {

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
/// Two states side by side in products, normalised over the features, with a column and one of the states unread.
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

template <class... Page>
void check() {
    constexpr sluice::sizes sizes{.input = 3, .units = 5};
    (stream::check(support::sized<Page, sizes>::template make<double, sluice::xtensor::planned>()), ...);
}

} // namespace

TEST_CASE("stream: states that are not read, change places, or are delays") {
    check<never_read, swapped, delayed>();
}
TEST_CASE("stream: outputs that are a state before the step, or the input") {
    check<before, passed>();
}
TEST_CASE("stream: what is made of parameters alone, columns, parts, and no input") {
    check<constant, mixed, alone>();
}
