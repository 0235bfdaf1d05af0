// SPDX-License-Identifier: BSL-1.0
// From names to nodes: order does not matter, what is shared is there once, and the output follows a rule.
#include "cells.hpp"

#include <support/both.hpp>

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

/// Whether the results of two graphs are the same expressions of the same leaves, in whatever order the nodes
/// stand.
template <std::size_t N, std::size_t M>
constexpr bool same(sluice::graph<N> const& p, int i, sluice::graph<M> const& q, int k) {
    sluice::node const &a = p[i], &b = q[k];
    return a.kind == b.kind && p.name_of(i) == q.name_of(k) && a.value == b.value && a.columns == b.columns &&
           (a.a < 0 || same(p, a.a, q, b.a)) && (a.b < 0 || same(p, a.b, q, b.b));
}
template <std::size_t N, std::size_t M>
constexpr bool same(sluice::graph<N> const& p, sluice::graph<M> const& q) {
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
        result = result && k > g[k].a && k > g[k].b;
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
    BOTH(count(graph_of(lines), op::subtract) == 1);
    BOTH(count(graph_of(lines), op::number) == 1);
    BOTH(count(graph_of(lines), op::matrix) == 1);
}

TEST_CASE("resolve: a gate that is another gate, or the input, is no node of its own") {
    constexpr auto lines = sluice::lines(i = x, f = tanh(i * W<"f">), n = f, next(h) = n * h + f);
    BOTH(count(graph_of(lines), op::apply) == 1);
    constexpr auto const& g = graph_of(lines);
    constexpr int of_i = g.definitions[0].at, of_f = g.definitions[1].at, of_n = g.definitions[2].at;
    BOTH(g[of_i].kind == op::input);
    BOTH(g[of_f].kind == op::apply);
    BOTH(g[g[of_f].a].kind == op::product);
    BOTH(g[g[of_f].a].a == of_i);
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
