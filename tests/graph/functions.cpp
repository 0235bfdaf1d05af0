// SPDX-License-Identifier: BSL-1.0
// The derivatives of pointwise functions and reductions, as rules of graphs, against differences of their
// values; and functions of a user's, which nothing in the library knows of.
#include "cells.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <support/own_functions.hpp>
#include <support/swish.hpp>
#include <vector>

namespace functions_test {

using namespace sluice::equation;

namespace {

using support::squared_difference, support::times_all;
struct between {
    static constexpr std::string_view name = "between";
    static constexpr std::string_view sign = "<>";
    static constexpr int strength = 2;
    static constexpr bool cheap = true;
    template <class T>
    static T value(T a, T b, T weight) {
        return a + weight * (b - a);
    }
    static constexpr auto derivative(auto a, auto b, auto weight, auto) {
        return each(1 - weight, weight, b - a);
    }
};

constexpr auto lines = sluice::lines(
    next(h) = where((h > x * W<"h"> && h < 1) || !(h >= 1), h, 1 - h) + where(h <= 1, 1, h) +
              max(h) * max(h, x* W<"h">) / h - min(h) * min(h, 1) - mean(h) + apply<support::swish>(h) +
              apply<squared_difference>(h, x* W<"h">) +
              reduce<times_all>(h) * apply<between>(h, h* h, scalar<"w">),
    output = sigmoid(h) + tanh(h) + relu(h) + softplus(h) + hard_sigmoid(h) + identity(h) + log_sigmoid(h) +
             hard_tanh(h) + tanh_shrink(h) + softsign(h) + relu6(h) + leaky_relu(h) + elu(h) + selu(h) +
             gelu(h) + gelu_tanh(h) + silu(h) + mish(h) + gaussian(h) + exp(h) + expm1(h) + log(h) +
             log1p(h) + sin(h) + cos(h) + erf(h) + abs(h) + sign(h) + floor(h) + square(h) + reciprocal(h) +
             sqrt(h) + rsqrt(h) + pow(h, 2.5_n) + norm(h));
using all = sluice::operations_of<std::remove_cvref_t<decltype(lines)>>;

using numbers = std::vector<double>; // one, or as many as a row has

double at(numbers const& z, std::size_t i) {
    return z.size() == 1 ? z[0] : z[i];
}

/// F of operands, element by element.
numbers value_of(int function, std::vector<numbers> const& operands) {
    numbers y;
    all::visit(function, [&](auto f) {
        using F = decltype(f);
        if constexpr (reduction<F>) {
            y = {F::template start<double>()};
            for (double z : operands[0])
                y[0] = F::combine(y[0], z);
        } else {
            std::size_t width = 1;
            for (numbers const& z : operands)
                width = std::max(width, z.size());
            for (std::size_t i = 0; i < width; ++i)
                if constexpr (has_value<F, 1>)
                    y.push_back(F::value(at(operands[0], i)));
                else if constexpr (has_value<F, 2>)
                    y.push_back(F::value(at(operands[0], i), at(operands[1], i)));
                else
                    y.push_back(F::value(at(operands[0], i), at(operands[1], i), at(operands[2], i)));
        }
    });
    return y;
}

/// A rule at these operands; after them stands the value of the function.
numbers value_of(sluice::derivative_rule const& rule, std::vector<numbers> const& given) {
    std::vector<numbers> value;
    for (int i = 0; i <= rule.at; ++i) {
        sluice::node const& n = rule.rule[i];
        std::vector<numbers> operands;
        for (int o : rule.rule.operands_of(i))
            operands.push_back(value[static_cast<std::size_t>(o)]);
        if (n.kind == sluice::op::input)
            value.push_back(given[static_cast<std::size_t>(n.order)]);
        else if (n.kind == sluice::op::number)
            value.push_back({n.value});
        else if (n.kind == sluice::op::features)
            value.push_back({static_cast<double>(operands[0].size())});
        else
            value.push_back(value_of(n.function, operands));
    }
    return value[static_cast<std::size_t>(rule.at)];
}

/// The largest difference of a function's derivatives, by its rules, to differences of its values. Conditions
/// have no differences.
double error_of(int function, std::vector<numbers> operands) {
    int const conditions = sluice::rows_of(all{})[function].conditions;
    static sluice::derivative_rules_table const rules = sluice::derivative_rules(all{});
    auto const& mine = rules[function];
    REQUIRE(mine.size() == static_cast<int>(operands.size()));
    std::vector<numbers> given = operands;
    given.push_back(value_of(function, operands));
    double worst = 0;
    for (std::size_t k = static_cast<std::size_t>(conditions); k < operands.size(); ++k) {
        numbers const derivative = value_of(mine[static_cast<int>(k)], given);
        for (std::size_t i = 0; i < operands[k].size(); ++i) {
            double& z = operands[k][i];
            double const here = z, step = 1e-5;
            z = here + step;
            numbers const right = value_of(function, operands);
            z = here - step;
            numbers const left = value_of(function, operands);
            z = here;
            double const difference = (at(right, i) - at(left, i)) / (2 * step);
            double const exact = at(derivative, i),
                         off = std::abs(difference - exact) / (1 + std::abs(exact));
            worst = off <= worst ? worst : off;
        }
    }
    return worst;
}

template <class F>
constexpr int place = all::find<F>();

} // namespace

TEST_CASE("functions: the derivatives of all of them, on both sides of their kinks") {
    for (int f = 0; f < all::size; ++f) {
        sluice::operation_row const row = sluice::rows_of(all{})[f];
        CAPTURE(std::string(row.called.view()));
        bool of_positive = false;
        for (std::string_view const called : {"log", "log1p", "sqrt", "rsqrt", "pow"})
            of_positive = of_positive || row.called.view() == called;
        for (numbers const& z :
             {numbers{-1.5, 0.3, 1.4, 3.1}, numbers{-3.4, -0.7, 0.8, 0.2}, numbers{5.7, 6.3, -1.2, -0.2}}) {
            std::vector<numbers> operands;
            for (int k = 0; k < row.arity; ++k) {
                numbers& operand = operands.emplace_back(z);
                for (std::size_t i = 0; i < z.size(); ++i)
                    if (k < row.conditions)
                        operand[i] = i % 2 == 0;
                    else if (double const moved = z[i] + 0.7 * k - 0.4 * k * static_cast<double>(i);
                             of_positive)
                        operand[i] = std::abs(moved) + 0.1;
                    else
                        operand[i] = moved;
            }
            CAPTURE(z[0]);
            CHECK(error_of(f, operands) < 1e-6);
        }
    }
}

TEST_CASE("functions: at a kink, the derivative that is written down") {
    auto const rules = sluice::derivative_rules(all{});
    auto const at_point = [&](int function, double z, double y) {
        return value_of(rules[function][0], {{z}, {y}})[0];
    };
    namespace activation = sluice::activation;
    namespace operation = sluice::operation;
    CHECK(at_point(place<activation::relu>, 0, 0) == 0);
    CHECK(at_point(place<activation::elu>, 0, 0) == 1);
    CHECK(at_point(place<activation::relu6>, 0, 0) == 0);
    CHECK(at_point(place<activation::relu6>, 6, 6) == 0);
    CHECK(at_point(place<activation::hard_tanh>, 1, 1) == 0);
    CHECK(at_point(place<activation::hard_tanh>, -1, -1) == 0);
    CHECK(at_point(place<operation::abs>, 0, 0) == 0);
    CHECK(at_point(place<operation::length>, 0, 0) == 0);
    CHECK(std::isinf(at_point(place<operation::sqrt>, 0, 0)));
    CHECK(value_of(rules[place<activation::leaky_relu>][0], {{0}, {0.25}, {0}})[0] == 0.25);
}

TEST_CASE("functions: at a tie the derivative is shared") {
    auto const rules = sluice::derivative_rules(all{});
    using operation = sluice::operation::maximum;
    for (int k = 0; k < 2; ++k)
        CHECK(value_of(rules[place<operation>][k], {{2, 3}, {2, 1}, {2, 3}})[0] == 0.5);
    CHECK(value_of(rules[place<sluice::operation::largest>][0], {{2, 3, 3, 1}, {3}}) ==
          numbers{0, 0.5, 0.5, 0});
}

TEST_CASE("functions: rows of the table") {
    constexpr auto row = sluice::row_of<between>();
    static_assert(row.called == sluice::name(std::string_view("between")) && row.arity == 3);
    static_assert(row.cheap && row.strength == 2 && row.sign.view() == "<>" &&
                  row.kind == sluice::op::pointwise);
    constexpr auto plain = sluice::row_of<squared_difference>();
    static_assert(plain.arity == 2 && !plain.cheap && plain.strength == 3 && plain.sign.view().empty());
    static_assert(sluice::row_of<times_all>().kind == sluice::op::reduce &&
                  sluice::row_of<sluice::operation::sum>().kind == sluice::op::reduce);
    CHECK(place<times_all> >= sluice::own_functions);
    CHECK(cells::passes_of<decltype(lines)>::graph.operations[place<between>].arity == 3);
}

} // namespace functions_test
