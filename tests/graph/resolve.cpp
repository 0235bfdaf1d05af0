// SPDX-License-Identifier: BSL-1.0
// From names to nodes: order does not matter, what is shared is there once, and the output follows a rule.
#include "cells.hpp"

#include <sluice/cells/dense.hpp>
#include <sluice/cells/lstm.hpp>
#include <support/both.hpp>

namespace resolve_test {

using namespace cells;
using sluice::op;
using sluice::role;

namespace {

template <class Lines>
constexpr auto const& graph_of(Lines) {
    return passes_of<Lines>::graph;
}
constexpr int count(auto const& g, op kind) {
    int result = 0;
    for (sluice::node const& node : g.nodes)
        result += node.kind == kind;
    return result;
}

constexpr int count_function(sluice::graph_view const& g, int function) {
    int result = 0;
    for (sluice::node const& node : g.nodes)
        result += node.kind == op::pointwise && node.function == function;
    return result;
}

/// Whether the results of two graphs are the same expressions of the same leaves, in whatever order the nodes
/// stand.
constexpr bool same(sluice::graph_view const& p, int i, sluice::graph_view const& q, int k) {
    sluice::node const &a = p[i], &b = q[k];
    bool result = a.kind == b.kind && p.name_of(i) == q.name_of(k) && a.value == b.value &&
                  p.width_of(a.shape.columns) == q.width_of(b.shape.columns) && a.count == b.count;
    for (int o = 0; result && o < a.count; ++o)
        result = same(p, p.operand(i, o), q, q.operand(k, o));
    return result;
}
constexpr bool same(sluice::graph_view const& p, sluice::graph_view const& q) {
    bool result = p.size() == q.size() && p.results.size() == q.results.size();
    for (int r = 0; result && r < p.results.size(); ++r)
        result = same(p, p.results[r].at, q, q.results[r].at);
    return result;
}

constexpr auto first = sluice::lines(f = sigmoid(h * R<"f"> + b<"f">), n = tanh((f * h) * R<"n">),
                                     next(h) = f * h + (1 - f) * n);
constexpr auto last = sluice::lines(next(h) = f * h + (1 - f) * n, n = tanh((f * h) * R<"n">),
                                    f = sigmoid(h * R<"f"> + b<"f">));

constexpr bool leaves_come_first(auto const& g) {
    bool inner = false, result = true;
    for (sluice::node const& node : g.nodes) {
        inner = inner || !sluice::is_leaf(node.kind);
        result = result && (!inner || !sluice::is_leaf(node.kind));
    }
    return result;
}
constexpr bool operands_come_before(auto const& g) {
    bool result = true;
    for (int k = 0; k < g.size(); ++k)
        for (int o : g.operands_of(k))
            result = result && k > o;
    return result;
}

} // namespace

TEST_CASE("resolve: a gate may be defined before or after its use") {
    BOTH(same(graph_of(first), graph_of(last)));
    BOTH(!same(graph_of(first), graph_of(mgu)));
}

TEST_CASE("resolve: leaves come first, operands before their users") {
    BOTH(leaves_come_first(graph_of(mgu)));
    BOTH(operands_come_before(graph_of(mgu)));
    BOTH(leaves_come_first(graph_of(last)));
    BOTH(operands_come_before(graph_of(last)));
    BOTH(leaves_come_first(graph_of(lstm)));
    BOTH(operands_come_before(graph_of(lstm)));
}

TEST_CASE("resolve: what is written twice is one node") {
    constexpr auto lines =
        sluice::lines(f = h * R<"h"> + (1 - h), n = tanh(h * R<"h">), next(h) = n * f + (1 - h));
    BOTH(count(graph_of(lines), op::product) == 1);
    BOTH(count_function(graph_of(lines), sluice::f_subtract) == 1);
    BOTH(count(graph_of(lines), op::number) == 1);
    BOTH(count(graph_of(lines), op::parameter) == 1);
}

TEST_CASE("resolve: a gate that is another gate, or the input, is no node of its own") {
    constexpr auto lines = sluice::lines(i = x, f = tanh(i * W<"f">), n = f, next(h) = n * h + f);
    BOTH(count(graph_of(lines), op::pointwise) == 3); // tanh, . and +
    constexpr auto const& g = graph_of(lines);
    constexpr int of_i = g.definitions[0].at, of_f = g.definitions[1].at, of_n = g.definitions[2].at;
    BOTH(g[of_i].kind == op::input);
    BOTH(g[of_f].kind == op::pointwise);
    BOTH(g[g.operand(of_f)].kind == op::product);
    BOTH(g.operand(g.operand(of_f)) == of_i);
    BOTH(of_n == of_f);
}

TEST_CASE("resolve: a number by its value") {
    constexpr auto lines = sluice::lines(next(h) = 0.50_n * h + 5e-1_n * tanh(h) + 0.5_n);
    BOTH(count(graph_of(lines), op::number) == 1);
}

TEST_CASE("resolve: the output is what its equation says, else the next h, else the only state") {
    constexpr auto of_equation = sluice::lines(next(h) = tanh(x * W<"h">), output = h);
    BOTH(graph_of(of_equation)[graph_of(of_equation).results[0].at].kind == op::state);

    constexpr auto of_h = sluice::lines(next(c) = h, next(h) = tanh(c));
    BOTH(graph_of(of_h).name_of(graph_of(of_h).results[1].at) == "h"); // next c
    BOTH(graph_of(of_h).results[0].at == graph_of(of_h).results[2].at);

    constexpr auto of_only = sluice::lines(next(c) = tanh(x * W<"c">));
    BOTH(graph_of(of_only).results[0].at == graph_of(of_only).results[1].at);
    BOTH(graph_of(of_only).results.size() == 2);
}

TEST_CASE("resolve: without a state there is an output alone") {
    BOTH(graph_of(dense).results.size() == 1);
    BOTH(graph_of(dense).results[0].kind == role::output);
    BOTH(passes_of<decltype(dense)>::states.empty());
}

TEST_CASE("resolve: `*` is a product where a matrix stands on the right, whatever made it") {
    constexpr auto lines = sluice::lines(f = 0.5_n * (R<"h"> - transposed(R<"h">)), next(h) = tanh(h * f));
    constexpr auto const& g = graph_of(lines);
    BOTH(count(g, op::product) == 1);
    BOTH(count_function(g, sluice::f_multiply) == 1);
    BOTH(g.is_matrix(g.definitions[0].at));
    constexpr auto twice = sluice::lines(next(h) = h * transposed(transposed(R<"h">)));
    BOTH(graph_of(twice)[graph_of(twice).operand(graph_of(twice).results[0].at, 1)].kind == op::parameter);
}

TEST_CASE("resolve: a negative number is a number") {
    constexpr auto lines = sluice::lines(next(h) = -0.5_n * h);
    BOTH(count_function(graph_of(lines), sluice::f_negate) == 0);
    BOTH(graph_of(lines).is_number(graph_of(lines).operand(graph_of(lines).results[0].at), -0.5));
}

TEST_CASE("resolve: one number for each row gets the features of a state, an output and a part of a concat") {
    constexpr auto k = state<"k", 3>;
    constexpr auto lines =
        sluice::lines(next(k) = sum(x) * vector<"v"> + k * concat(1_n, bias<"one">, mean(k)),
                      next(c) = max(x), output = sum(c));
    constexpr auto const& g = graph_of(lines);
    BOTH(count(g, op::spread) == 5);
    BOTH(g.results.size() == 3);
    BOTH(g[g.results[0].at].kind == op::spread);
    BOTH(g.width_of(g[g.results[0].at].shape.columns) == sluice::width(std::size_t(1)));
    BOTH(g.width_of(g[g.results[2].at].shape.columns) == sluice::symbol::units);
    BOTH(!g[g.definitions[2].at].shape.has_features()); // the equation itself is as it was written
    BOTH(g[g.operand(g.results[2].at)].shape == sluice::axes{.time = true, .row = true});
}

namespace {

template <class Lines>
constexpr sluice::reason trouble_of(Lines lines) {
    return sluice::resolve(sluice::flatten<sluice::operations_of<Lines>>(lines).seen()).trouble.why;
}

} // namespace

TEST_CASE("resolve: a condition stands where one is asked, also by the name of a gate, and nowhere else") {
    using sluice::reason;
    BOTH(trouble_of(sluice::lines(f = h > x * W<"f">, next(h) = where(!f, h, 0_n))) == reason::none);
    BOTH(trouble_of(sluice::lines(next(h) = h > x * W<"f">)) == reason::condition_outside_where);
    BOTH(trouble_of(sluice::lines(next(h) = h, output = h > x * W<"f">)) == reason::condition_outside_where);
    BOTH(trouble_of(sluice::lines(f = h > x * W<"f">, next(h) = tanh(f))) == reason::condition_outside_where);
    BOTH(trouble_of(sluice::lines(next(h) = where(h > 0_n, h > 1, h) + x * W<"f">)) ==
         reason::condition_outside_where);
    BOTH(trouble_of(sluice::lines(next(h) = sum(h > x * W<"f">) * h)) == reason::condition_outside_where);
    BOTH(trouble_of(sluice::lines(next(h) = where(h, x * W<"f">, h))) == reason::no_condition);
    BOTH(trouble_of(sluice::lines(next(h) = where(h > 0_n && h, x * W<"f">, h))) == reason::no_condition);
    BOTH(trouble_of(sluice::lines(next(h) = where(!x, x * W<"f">, h))) == reason::no_condition);
}

} // namespace resolve_test
