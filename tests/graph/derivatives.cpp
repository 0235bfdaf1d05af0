// SPDX-License-Identifier: BSL-1.0
// Derivatives against five-point differences, in one time step, evaluated node by node: of small pieces, of
// whole cells and of random ones. A gradient is a graph again, of transposed and outer products and totals:
// its own gradient is found and judged in the same way.
#include <doctest/doctest.h>
#include <random/differences.hpp>
#include <sluice/graph/differentiate.hpp>
#include <sluice/graph/fuse.hpp>
#include <sluice/graph/resolve.hpp>
#include <sluice/graph/shape.hpp>

namespace derivatives_test {

using namespace sluice::equation;
using namespace random_cells;

namespace {

template <class... Line>
sluice::graph graph_of(sluice::equation_set<Line...> lines) {
    return sluice::give_shapes(sluice::resolve(sluice::flatten<table>(lines).seen()).seen()).shaped;
}
sluice::gradient differentiate(sluice::graph const& g) {
    static sluice::derivative_rules_table const rules = sluice::derivative_rules(table{});
    return sluice::differentiate(g.seen(), rules);
}

constexpr extents small{.n = {.input = 3, .units = 9, .projection = 6, .groups = 3}, .batch = 3};

/// Values of the nodes of g that have none yet.
leaf_values evaluated(graph_view g, extents const& e, leaf_values values) {
    for (int i = 0; i < g.size(); ++i)
        if (values[at(i)].empty())
            values[at(i)] = {
                compute(g, i, e, [&](int k) -> array const& { return values[at(g.operand(i, k))].front(); })};
    return values;
}

double sum_of_products(array const& a, array const& b) {
    if (a.numbers.size() != b.numbers.size())
        throw std::logic_error("a value has not the shape that the graph says");
    double sum = 0;
    for (size_t k = 0; k < a.numbers.size(); ++k)
        sum += a.numbers[k] * b.numbers[k];
    return sum;
}

/// The largest error of the gradients `d` of g, along a random direction of each leaf. They are the gradients
/// of the sum of all results, weighted with their cotangents; all leaves are random.
double error(sluice::graph const& g, sluice::gradient const& d, extents const& e) {
    sluice::random_stream random(sluice::seed{5}, "derivatives");
    graph_view const whole = d.whole.seen();
    leaf_values const given = generator::leaf_numbers(random, d.whole, e);
    leaf_values const exact = evaluated(whole, e, given);
    auto const loss = [&](leaf_values const& leaves) {
        leaf_values const values = evaluated(g.seen(), e, leaves);
        double sum = 0;
        for (int i = d.given; i < whole.size(); ++i)
            if (whole[i].kind == op::cotangent)
                sum += sum_of_products(values[at(g.results[whole[i].index].at)][0], given[at(i)][0]);
        return sum;
    };
    leaf_values const directions = generator::leaf_numbers(random, d.whole, e);
    double worst = 0;
    int compared = 0;
    for (int r = g.results.size(); r < whole.results.size(); ++r) {
        size_t const leaf = at(whole.results[r].of);
        array const& direction = directions[leaf][0];
        auto const along = [&](double distance) {
            leaf_values moved = given;
            for (size_t k = 0; k < direction.numbers.size(); ++k)
                moved[leaf][0].numbers[k] += distance * direction.numbers[k];
            return loss(moved);
        };
        double const slope = sum_of_products(exact[at(whole.results[r].at)][0], direction);
        double const off = compare_with_differences(slope, along).error;
        worst = off <= worst ? worst : off;
        ++compared;
    }
    REQUIRE(compared > 0);
    return worst;
}

/// The first derivatives of these equations and the second ones.
template <class... Line>
void check_derivatives(sluice::equation_set<Line...> lines) {
    sluice::graph const g = graph_of(lines);
    REQUIRE(!g.trouble);
    sluice::gradient const once = differentiate(g), twice = differentiate(once.whole);
    CHECK(error(g, once, small) < 1e-8);
    CHECK(error(once.whole, twice, small) < 1e-8);
}
#define CHECK_DERIVATIVES(...) check_derivatives(sluice::lines(__VA_ARGS__))

constexpr auto c = state<"c">;
constexpr auto m = state<"m", projection>;
constexpr auto r = gate<"r">;
constexpr auto u = gate<"u">;
constexpr auto n = gate<"n">;

} // namespace

TEST_CASE("derivatives: sums, differences and negatives") {
    CHECK_DERIVATIVES(next(h) = h * h + c * h, next(c) = c);
    CHECK_DERIVATIVES(next(h) = h * h - c * h, next(c) = h);
    CHECK_DERIVATIVES(next(h) = -(h * h) - -c, next(c) = -h);
}

TEST_CASE("derivatives: numbers, elementwise products and quotients") {
    CHECK_DERIVATIVES(next(h) = (1 - h) * (2_n * h + 0.5_n) * h - 3_n);
    CHECK_DERIVATIVES(next(h) = h * c * h, next(c) = (c * c) * (c * c));
    CHECK_DERIVATIVES(next(h) = h / (2_n + h * h) + p<"h"> / exp(h));
}

TEST_CASE("derivatives: a vector in every row of the batch, a scalar in every place") {
    CHECK_DERIVATIVES(next(h) = h * h + b<"h">);
    CHECK_DERIVATIVES(next(h) = h * (h - b<"h">));
    CHECK_DERIVATIVES(next(h) = h * p<"h"> * p<"h">);
    CHECK_DERIVATIVES(next(h) = h * tanh(b<"h"> + p<"h"> * p<"h">));
    CHECK_DERIVATIVES(next(h) = tanh(b<"h"> - h) * sigmoid(b<"h">) * scalar<"s"> * scalar<"s">);
}

TEST_CASE("derivatives: products with matrices") {
    CHECK_DERIVATIVES(next(h) = x * W<"h"> + h * R<"h">);
    CHECK_DERIVATIVES(next(h) = tanh(x * W<"h"> + h * R<"h"> + b<"h">));
    CHECK_DERIVATIVES(next(h) = (h * R<"h">)*R<"h">);
    CHECK_DERIVATIVES(next(m) = h * W<"P">, next(h) = tanh(m * R<"h">) * tanh(x * W<"h">));
    CHECK_DERIVATIVES(next(h) = tanh(h * (R<"h"> - transposed(R<"h">)) + x * W<"h">));
    CHECK_DERIVATIVES(next(h) = tanh(x * grouped(W<"h">) + h * grouped(R<"h">)));
}

TEST_CASE("derivatives: reductions, values side by side and slices") {
    CHECK_DERIVATIVES(next(h) = h * sum(h * h) - mean(h) * c + max(h), next(c) = max(h * c, c));
    CHECK_DERIVATIVES(next(h) = reduce<log_sum_exp>(h * p<"h">) * apply<squared_difference>(h, h * h));
    CHECK_DERIVATIVES(next(h) = tanh(concat(x, h) * W<"h", units>) * slice<1, units>(concat(h, h * h)));
}

TEST_CASE("derivatives: of a leaf that takes no part, zero") {
    CHECK_DERIVATIVES(next(h) = tanh(x * W<"h">), next(c) = c * c);
}

TEST_CASE("derivatives: a GRU with softplus and the reset gate in front of the product") {
    CHECK_DERIVATIVES(r = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">),
                      u = sigmoid(x * W<"u"> + h * R<"u"> + b<"u">),
                      n = softplus(x * W<"n"> + (r * h) * R<"n"> + b<"n">), next(h) = u * h + (1 - u) * n);
}

TEST_CASE("derivatives: a projected cell with peepholes and groups") {
    CHECK_DERIVATIVES(u = sigmoid(x * grouped(W<"u">) + m * grouped(R<"u">) + c * p<"u"> + b<"u">),
                      next(c) = u * c + (1 - u) * tanh(x * W<"n"> + m * R<"n">),
                      next(m) = (sigmoid(next(c) * p<"o"> + setting<"shift">) * tanh(next(c))) * W<"P">,
                      output = next(m));
}

TEST_CASE("derivatives: of random cells, with products merged and as written") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        CAPTURE(seed);
        sluice::random_stream random(sluice::seed{seed}, "cells");
        random_cell const cell = generator(random).make();
        extents const e{.n = cell.e.n, .batch = cell.e.batch};
        for (sluice::graph const& g : {cell.g, sluice::fuse(cell.g.seen())}) {
            sluice::gradient const once = differentiate(g);
            CHECK(error(g, once, e) < 1e-6);
            CHECK(error(once.whole, differentiate(once.whole), e) < 1e-6);
        }
    }
}

TEST_CASE("derivatives: third derivatives") {
    sluice::graph const g = graph_of(sluice::lines(next(h) = tanh(h * R<"h"> + b<"h">) * sigmoid(b<"h">)));
    sluice::gradient const twice = differentiate(differentiate(g).whole), thrice = differentiate(twice.whole);
    CHECK(error(twice.whole, thrice, small) < 1e-8);
}

TEST_CASE("second derivatives: of the gradient of a bias alone, which is spread over the batch") {
    sluice::graph once =
        differentiate(graph_of(sluice::lines(next(h) = tanh(x * W<"h"> + (h + b<"h">)*R<"h">)))).whole;
    sluice::list<sluice::definition> const all = once.results;
    once.results.clear();
    for (sluice::definition const& result : all)
        if (result.kind == sluice::role::gradient && once.name_of(result.of) == "b_h")
            once.results.push_back(result);
    REQUIRE(once.results.size() == 1);
    CHECK(error(once, differentiate(once), small) < 1e-8);
}

} // namespace derivatives_test
