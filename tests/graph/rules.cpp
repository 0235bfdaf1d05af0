// SPDX-License-Identifier: BSL-1.0
// Derivatives of the table of operations as graphs: each is evaluated, and compared with differences of the
// function.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <sluice/graph/rules.hpp>
#include <vector>

namespace rules_test {

using namespace sluice;
namespace operation = sluice::operation;

namespace {

using functions = operations_of<std::remove_const_t<decltype([] {
    using namespace equation;
    return lines(output = sigmoid(x) + tanh(x) + exp(x) + sin(x) + sqrt(x) + max(x, x) + pow(x, x));
}())>>;

/// Calls a function of the table.
template <class F>
double value(std::vector<double> const& z) {
    if constexpr (equation::has_value<F, 1>)
        return F::value(z[0]);
    else
        return F::value(z[0], z[1]);
}

/// A rule, of operands and the function's value.
double evaluated(derivative_rule const& rule, std::vector<double> const& operands) {
    auto const& g = rule.rule;
    std::vector<double> values;
    for (int i = 0; i < g.size(); ++i) {
        node const& n = g[i];
        if (n.kind == op::input)
            values.push_back(operands.at(static_cast<std::size_t>(n.order)));
        else if (n.kind == op::number)
            values.push_back(n.value);
        else {
            REQUIRE(n.kind == op::pointwise);
            std::vector<double> of;
            for (int const o : g.operands_of(i))
                of.push_back(values[static_cast<std::size_t>(o)]);
            double found = 0;
            functions::visit(n.function, [&]<class F>(F) {
                if constexpr (equation::has_value<F, 1> || equation::has_value<F, 2>)
                    found = value<F>(of);
            });
            values.push_back(found);
        }
    }
    return values[static_cast<std::size_t>(rule.at)];
}

} // namespace

TEST_CASE("rules: each function has a rule for each operand, which is its slope") {
    auto const table = derivative_rules(functions{});
    CHECK(table.size() == functions::size);
    int compared = 0;
    for (int f = 0; f < functions::size; ++f)
        functions::visit(f, [&]<class F>(F) {
            if constexpr (equation::has_value<F, 1> || equation::has_value<F, 2>) {
                CAPTURE(F::name);
                CHECK(table[f].size() == arity_of<F>());
                for (int k = 0; k < table[f].size(); ++k) {
                    std::vector<double> z{0.7, 1.3};
                    z.resize(static_cast<std::size_t>(arity_of<F>()));
                    std::vector<double> given = z;
                    given.push_back(value<F>(z));
                    double const slope = evaluated(table[f][k], given), step = 1e-6;
                    double& at = z[static_cast<std::size_t>(k)];
                    at += step;
                    double const above = value<F>(z);
                    at -= 2 * step;
                    double const below = value<F>(z);
                    CHECK(slope == doctest::Approx((above - below) / (2 * step)).epsilon(1e-6));
                    ++compared;
                }
            }
        });
    CHECK(compared > 15);
}

TEST_CASE("rules: a rule that reads the value has it behind the operands") {
    auto const table = derivative_rules(operation_list<operation::exp, operation::divide, operation::subtract,
                                                       operation::multiply, operation::negate>{});
    derivative_rule const& of_exp = table[0][0];
    CHECK(of_exp.rule[of_exp.at].kind == op::input);
    CHECK(of_exp.rule[of_exp.at].order == 1); // the value
    derivative_rule const& of_product = table[3][0];
    CHECK(of_product.rule[of_product.at].kind == op::input);
    CHECK(of_product.rule[of_product.at].order == 1); // the other factor
    CHECK(table[3][1].rule[table[3][1].at].order == 0);
    CHECK(table[2][0].rule.is_number(table[2][0].at, 1));
}

TEST_CASE("rules: of a graph, those of the functions that occur in it") {
    graph g = flatten<functions>(std::remove_const_t<decltype([] {
        using namespace equation;
        return lines(output = tanh(x) + exp(x));
    }())>{});
    auto const all = derivative_rules(functions{}), table = derivative_rules(functions{}, g.seen());
    REQUIRE(table.size() == all.size());
    int left_out = 0;
    for (int f = 0; f < table.size(); ++f) {
        bool const wanted = std::ranges::any_of(g.nodes, [&](node const& n) { return n.function == f; });
        CHECK(table[f].size() == (wanted ? all[f].size() : 0));
        left_out += wanted || all[f].empty() ? 0 : 1;
    }
    CHECK(left_out > 3);
}

} // namespace rules_test
