// SPDX-License-Identifier: BSL-1.0
// The table of rules in symbols: the gradient of an output y, whose own gradient is s.
#include "cells.hpp"

#include <doctest/doctest.h>
#include <sstream>
#include <string>

using namespace sluice::equation;
using sluice::op;

namespace {

template <class List, class Graph>
std::string formula(Graph const& g, int i) {
    sluice::node const& n = g[i];
    auto const a = [&] { return formula<List>(g, n.a); };
    auto const b = [&] { return formula<List>(g, n.b); };
    switch (n.kind) {
    case op::seed:
        return "s";
    case op::zero:
        return "0 like " + a();
    case op::number:
        return (std::ostringstream() << n.value).str();
    case op::add:
        return '(' + a() + " + " + b() + ')';
    case op::subtract:
        return '(' + a() + " - " + b() + ')';
    case op::multiply:
        return a() + " . " + b();
    case op::negate:
        return '-' + a();
    case op::apply:
        return std::string(List::name(n.index)) + '(' + a() + ')';
    case op::product:
        return a() + ' ' + b();
    case op::product_transposed:
        return a() + ' ' + b() + "^T";
    case op::outer:
        return a() + "^T " + b() + (n.grouped ? " in blocks" : "");
    case op::column_sum:
        return "sum(" + a() + ')';
    case op::spread:
        return "spread(" + a() + ')';
    default:
        return std::string(g.name_of(i));
    }
}

/// The gradient of a leaf.
template <class... Line>
std::string gradient(std::string_view leaf, sluice::equation_set<Line...>) {
    using lines = sluice::equation_set<Line...>;
    auto const& g = cells::plans_of<lines>::gradient.whole;
    for (sluice::definition const& d : g.results)
        if (g.name_of(d.of) == leaf)
            return formula<typename cells::passes_of<lines>::activations>(g, d.at);
    return "none";
}
/// The same where output = e.
template <expression E>
std::string gradient(std::string_view leaf, E) {
    return gradient(leaf, sluice::lines(output = E{}));
}

} // namespace

TEST_CASE("gradients: sums, differences, negatives") {
    CHECK(gradient("x", x + p<"a">) == "s");
    CHECK(gradient("p_a", x + p<"a">) == "sum(s)");
    CHECK(gradient("x", p<"a"> - x) == "-s");
    CHECK(gradient("p_a", x - p<"a">) == "sum(-s)");
    CHECK(gradient("x", -x) == "-s");
    CHECK(gradient("x", x - x) == "(s - s)");
    CHECK(gradient("x", x + x) == "(s + s)");
}

TEST_CASE("gradients: elementwise products and numbers") {
    CHECK(gradient("x", x * p<"a">) == "s . p_a");
    CHECK(gradient("p_a", x * p<"a">) == "sum(s . x)");
    CHECK(gradient("x", x * x) == "(s . x + s . x)");
    CHECK(gradient("x", 1 * x) == "s");
    CHECK(gradient("x", 1 - x) == "-s");
    CHECK(gradient("x", 0.5_n * x) == "s . 0.5");
    CHECK(gradient("x", x * 3_n - 7_n) == "s . 3");
}

TEST_CASE("gradients: products") {
    CHECK(gradient("x", x * W<"a">) == "s W_a^T");
    CHECK(gradient("W_a", x * W<"a">) == "x^T s");
    CHECK(gradient("W_a", x * grouped(W<"a">)) == "x^T s in blocks");
    CHECK(gradient("W_b", (x * W<"a">)*W<"b">) == "x W_a^T s");
    CHECK(gradient("W_a", (x * W<"a">)*W<"b">) == "x^T s W_b^T");
}

TEST_CASE("gradients: activations by their equations") {
    CHECK(gradient("x", tanh(x)) == "s . (1 - tanh(x) . tanh(x))");
    CHECK(gradient("x", sigmoid(x)) == "s . sigmoid(x) . (1 - sigmoid(x))");
    CHECK(gradient("x", exp(x)) == "s . exp(x)");
    CHECK(gradient("x", relu(x)) == "s . step(x)");
    CHECK(gradient("x", softplus(x)) == "s . sigmoid(x)");
    CHECK(gradient("x", hard_sigmoid(x)) == "s . hard_sigmoid_slope(x)");
    CHECK(gradient("x", identity(x)) == "s");
    CHECK(gradient("x", apply<sluice::activation::step>(x)) == "0 like x");
}

TEST_CASE("gradients: of parameters behind an activation, and of what takes no part") {
    CHECK(gradient("b_a", x + tanh(b<"a">)) == "sum(s) . (1 - tanh(b_a) . tanh(b_a))");
    CHECK(gradient("h", decltype(sluice::lines(output = x * W<"y">, next(h) = x * W<"h">)){}) == "0 like h");
}
