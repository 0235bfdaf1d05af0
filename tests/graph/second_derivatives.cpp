// SPDX-License-Identifier: BSL-1.0
// Whole cells differentiated twice: the input, the states, the parameters and the first seeds.
#include "differences.hpp"

#include <doctest/doctest.h>

using namespace sluice::equation;
using differences::errors_of;

namespace {

constexpr auto r = gate<"r">;
constexpr auto u = gate<"u">;
constexpr auto n = gate<"n">;

} // namespace

TEST_CASE("second derivatives: a GRU whose reset gate stands inside the product with a bias") {
    auto const e = errors_of(sluice::lines(
        r = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">), u = sigmoid(x * W<"u"> + h * R<"u"> + b<"u">),
        n = tanh(x * W<"n"> + b<"n"> + r * (h * R<"n"> + b<"Rn">)), next(h) = u * h + (1 - u) * n));
    CHECK(e.first < 1e-7);
    CHECK(e.second < 1e-7);
}

TEST_CASE("second derivatives: a GRU with softplus, the reset gate in front of the product") {
    auto const e = errors_of(sluice::lines(
        r = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">), u = sigmoid(x * W<"u"> + h * R<"u"> + b<"u">),
        n = softplus(x * W<"n"> + (r * h) * R<"n"> + b<"n">), next(h) = u * h + (1 - u) * n));
    CHECK(e.first < 1e-7);
    CHECK(e.second < 1e-7);
}

TEST_CASE("second derivatives: a projected cell with peepholes and groups") {
    constexpr auto c = state<"c">;
    constexpr auto m = state<"m", projection>;
    auto const e = errors_of(sluice::lines(
        u = sigmoid(x * grouped(W<"u">) + m * grouped(R<"u">) + c * p<"u"> + b<"u">),
        next(c) = u * c + (1 - u) * tanh(x * W<"n"> + m * R<"n">),
        next(m) = (sigmoid(next(c) * p<"o"> + setting<"shift">) * tanh(next(c))) * W<"P">, output = next(m)));
    CHECK(e.first < 1e-7);
    CHECK(e.second < 1e-7);
}

TEST_CASE("second derivatives: an activation of the user") {
    using support::swish;
    auto const e = errors_of(
        sluice::lines(next(h) = apply<swish>(x * W<"h"> + h * R<"h"> + b<"h">) + apply<swish>(p<"h">)));
    CHECK(e.first < 1e-7);
    CHECK(e.second < 1e-7);
}

TEST_CASE("third derivatives") {
    auto const g =
        differences::graph_of(sluice::lines(next(h) = tanh(h * R<"h"> + b<"h">) * sigmoid(b<"h">)));
    auto const twice = differences::differentiate(differences::differentiate(g).whole);
    auto const thrice = differences::differentiate(twice.whole);
    CHECK(differences::error(twice.whole, thrice) < 1e-7);
}

TEST_CASE("second derivatives: of the gradient of a bias alone, which is spread over the batch") {
    auto once = differences::differentiate(
                    differences::graph_of(sluice::lines(next(h) = tanh(x * W<"h"> + (h + b<"h">)*R<"h">))))
                    .whole;
    auto const all = once.results;
    once.results.count = 0;
    for (auto const& result : all)
        if (once.name_of(result.of) == "b_h")
            once.results.push_back(result);
    REQUIRE(once.results.size() == 1);
    auto const twice = differences::differentiate(once);
    CHECK(differences::error(once, twice) < 1e-7);
    bool spread = false;
    for (auto const& node : twice.whole.nodes)
        spread = spread || node.kind == sluice::op::spread;
    CHECK(spread);
}
