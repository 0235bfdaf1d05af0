// SPDX-License-Identifier: BSL-1.0
// The table of rules, row by row, once and twice: the second derivative differentiates what the first rows
// make, y W^T, a^T b and the sums over the batch.
#include "differences.hpp"

#include <doctest/doctest.h>

using namespace sluice::equation;
using differences::errors_of;

#define CHECK_DERIVATIVES(...)                                                                               \
    do {                                                                                                     \
        auto const e = errors_of(sluice::lines(__VA_ARGS__));                                                \
        CHECK(e.first < 1e-7);                                                                               \
        CHECK(e.second < 1e-7);                                                                              \
    } while (false)

namespace {
constexpr auto c = state<"c">;
constexpr auto m = state<"m", projection>;
} // namespace

TEST_CASE("derivatives: sums, differences and negatives") {
    CHECK_DERIVATIVES(next(h) = h * h + c * h, next(c) = c);
    CHECK_DERIVATIVES(next(h) = h * h - c * h, next(c) = h);
    CHECK_DERIVATIVES(next(h) = -(h * h) - -c, next(c) = -h);
}

TEST_CASE("derivatives: numbers") {
    CHECK_DERIVATIVES(next(h) = (1 - h) * (2_n * h + 0.5_n) * h - 3_n);
}

TEST_CASE("derivatives: elementwise products, also with themselves") {
    CHECK_DERIVATIVES(next(h) = h * c * h, next(c) = (c * c) * (c * c));
}

TEST_CASE("derivatives: a vector in every row of the batch") {
    CHECK_DERIVATIVES(next(h) = h * h + b<"h">);
    CHECK_DERIVATIVES(next(h) = h * (h - b<"h">));
    CHECK_DERIVATIVES(next(h) = h * p<"h"> * p<"h">);
    CHECK_DERIVATIVES(next(h) = h * tanh(b<"h"> + p<"h"> * p<"h">));
    CHECK_DERIVATIVES(next(h) = tanh(b<"h"> - h) * sigmoid(b<"h">));
}

TEST_CASE("derivatives: products with matrices") {
    CHECK_DERIVATIVES(next(h) = x * W<"h"> + h * R<"h">);
    CHECK_DERIVATIVES(next(h) = tanh(x * W<"h"> + h * R<"h"> + b<"h">));
    CHECK_DERIVATIVES(next(h) = (h * R<"h">)*R<"h">);
    CHECK_DERIVATIVES(next(m) = h * W<"P">, next(h) = tanh(m * R<"h">) * tanh(x * W<"h">));
}

TEST_CASE("derivatives: products over feature groups") {
    CHECK_DERIVATIVES(next(h) = tanh(x * grouped(W<"h">) + h * grouped(R<"h">)));
}

TEST_CASE("derivatives: of a leaf that takes no part, zero") {
    CHECK_DERIVATIVES(next(h) = tanh(x * W<"h">), next(c) = c * c);
}
