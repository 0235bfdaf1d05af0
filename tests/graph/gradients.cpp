// SPDX-License-Identifier: BSL-1.0
// The gradients of small pieces in symbols, as one derives them by hand; every product stands by itself here.
#include "cells.hpp"

#include <doctest/doctest.h>
#include <string>

namespace gradients_test {

using namespace sluice::equation;

namespace {

/// What is printed of the gradient of output = e, but for that line.
template <expression E>
std::string gradient(E) {
    using passes = cells::passes_of<decltype(sluice::lines(output = E{}))>;
    sluice::gradient const d =
        sluice::differentiate(passes::graph, sluice::derivative_rules(typename passes::operations{}));
    std::string lines(print_equations(d.whole.seen()).view());
    std::size_t const output = lines.find("output =");
    return lines.erase(output, lines.find('\n', output) + 1 - output);
}

} // namespace

TEST_CASE("gradients: sums, differences, negatives") {
    CHECK(gradient(x + p<"a">) == "d(p_a) = total(d(output))\nd(x) = d(output)\n");
    CHECK(gradient(p<"a"> - x) == "d(p_a) = total(d(output))\nd(x) = -d(output)\n");
    CHECK(gradient(x - p<"a">) == "d(p_a) = total(-d(output))\nd(x) = d(output)\n");
    CHECK(gradient(-x) == "d(x) = -d(output)\n");
    CHECK(gradient(x - x) == "d(x) = d(output) - d(output)\n");
    CHECK(gradient(x + x) == "d(x) = d(output) + d(output)\n");
}

TEST_CASE("gradients: elementwise products and quotients, numbers and scalars") {
    CHECK(gradient(x * p<"a">) == "d(x) = d(output) . p_a\nd(p_a) = total(d(output) . x)\n");
    CHECK(gradient(x * x) == "v1 = d(output) . x\nd(x) = v1 + v1\n");
    CHECK(gradient(x / p<"a">) ==
          "d(x) = d(output) . (1 / p_a)\nd(p_a) = total(d(output) . (-(x / p_a / p_a)))\n");
    CHECK(gradient(1 * x) == "d(x) = d(output)\n");
    CHECK(gradient(1 - x) == "d(x) = -d(output)\n");
    CHECK(gradient(x * 3_n - 7_n) == "d(x) = d(output) . 3\n");
    CHECK(gradient(scalar<"s"> * x) == "d(s) = total(sum(d(output) . x))\nd(x) = d(output) . s\n");
}

TEST_CASE("gradients: products") {
    CHECK(gradient(x * W<"a">) == "d(x) = d(output) W_a^T\nd(W_a) = outer(x, d(output))\n");
    CHECK(gradient(x * grouped(W<"a">)) == "d(x) = d(output) (x) W_a^T\nd(W_a) = outer(x, d(output))\n");
    CHECK(gradient((x * W<"a">)*W<"b">) == "v1 = d(output) W_b^T\n"
                                           "d(W_b) = outer(x W_a, d(output))\n"
                                           "d(x) = v1 W_a^T\n"
                                           "d(W_a) = outer(x, v1)\n");
    CHECK(gradient(x * transposed(W<"a">)) == "d(x) = d(output) W_a\nd(W_a) = outer(x, d(output))^T\n");
    CHECK(gradient(x * (W<"a"> - 2_n * W<"b">)) == "d(x) = d(output) (W_a - 2 . W_b)^T\n"
                                                   "d(W_a) = outer(x, d(output))\n"
                                                   "d(W_b) = (-d(W_a)) . 2\n");
}

TEST_CASE("gradients: activations by their equations") {
    CHECK(gradient(tanh(x)) == "v1 = tanh(x)\nd(x) = d(output) . (1 - v1 . v1)\n");
    CHECK(gradient(sigmoid(x)) == "v1 = sigmoid(x)\nd(x) = d(output) . v1 . (1 - v1)\n");
    CHECK(gradient(exp(x)) == "d(x) = d(output) . exp(x)\n");
    CHECK(gradient(relu(x)) == "d(x) = d(output) . step(x)\n");
    CHECK(gradient(softplus(x)) == "d(x) = d(output) . sigmoid(x)\n");
    CHECK(gradient(hard_sigmoid(x)) == "d(x) = d(output) . hard_sigmoid_slope(x)\n");
    CHECK(gradient(identity(x)) == "d(x) = d(output)\n");
    CHECK(gradient(apply<sluice::activation::step>(x)) == "d(x) = 0\n");
    CHECK(gradient(max(x, p<"a">)) ==
          "d(x) = d(output) . exceeds(x, p_a)\nd(p_a) = total(d(output) . exceeds(p_a, x))\n");
}

TEST_CASE("gradients: reductions, values side by side and slices") {
    CHECK(gradient(sum(x) * x) == "d(x) = d(output) . sum(x) + sum(d(output) . x)\n");
    CHECK(gradient(max(x) * x) == "v1 = max(x)\n"
                                  "v2 = equal(x, v1)\n"
                                  "d(x) = d(output) . v1 + sum(d(output) . x) . (v2 / sum(v2))\n");
    CHECK(gradient(concat(x, x * W<"a">)) == "v1 = d(output)[input : input + units]\n"
                                             "d(W_a) = outer(x, v1)\n"
                                             "d(x) = d(output)[0 : input] + v1 W_a^T\n");
    CHECK(gradient(slice<2, 3>(x)) == "d(x) = [copy(0), copy(d(output)), copy(0)]\n");
}

TEST_CASE("gradients: matrices as values, outer products and contractions from both sides") {
    constexpr auto y = input<"y", units>;
    CHECK(gradient(x * outer(x, y)) == "v1 = row(d(output)) . column(x)\n"
                                       "d(y) = x v1\n"
                                       "d(x) = sum_columns(row(d(output)) . outer(x, y) + v1 . row(y))\n");
    CHECK(gradient(outer(x, y) * y) == "v1 = outer(d(output), y)\n"
                                       "d(y) = sum_rows(column(d(output)) . outer(x, y) + v1 . column(x))\n"
                                       "d(x) = v1 y\n");
    CHECK(gradient(column<2>(x) + row<2>(y)) ==
          "d(y) = sum_rows<2>(d(output))\nd(x) = sum_columns<2>(d(output))\n");
}

TEST_CASE("gradients: each row of a matrix value times a matrix, in groups that of its group") {
    CHECK(gradient(outer(x, x) * W<"a">) == "v1 = d(output) W_a^T\n"
                                            "d(W_a) = outer(outer(x, x), d(output))\n"
                                            "d(x) = x v1 + v1 x\n");
    CHECK(gradient((column<2>(x) + row<2>(x)) * transposed(grouped<2>(W<"a">))) ==
          "v1 = d(output) (x) W_a\n"
          "d(W_a) = outer(column<2>(x) + row<2>(x), d(output))^T\n"
          "d(x) = sum_rows<2>(v1) + sum_columns<2>(v1)\n");
}

TEST_CASE("gradients: of parameters behind an activation") {
    CHECK(gradient(x + tanh(b<"a">)) == "v1 = tanh(b_a)\n"
                                        "d(b_a) = total(d(output)) . (1 - v1 . v1)\n"
                                        "d(x) = d(output)\n");
}

} // namespace gradients_test
