// SPDX-License-Identifier: BSL-1.0
// differentiate: reverse mode. The result is a graph that holds the given one and, behind it, the gradient of
// each leaf; its seeds are the gradients of the given graph's results. It is a graph like any other and can
// be differentiated again.
//
// The rules (y' is the gradient of y; sum is over the batch, where a vector met a batch):
//
//   y = a + b     a' += y'            b' += y'
//   y = a - b     a' += y'            b' -= y'
//   y = a . b     a' += y' . b        b' += y' . a           (elementwise)
//   y = -a        a' -= y'
//   y = f(a)      a' += y' . f'(a, y)
//   y = a W       a' += y' W^T        W' += a^T y'
//   y = a W^T     a' += y' W          W' += y'^T a
//   y = a^T b     a' += b y'^T        b' += a y'
//   y = sum(a)    a' += spread(y')                           (y' in every row of the batch)
//   y = spread(a) a' += sum(y')
#pragma once

#include <sluice/graph/flatten.hpp>
#include <sluice/graph/graph.hpp>

namespace sluice {
namespace detail {

template <std::size_t N, class Rules>
struct differentiator {
    graph<N> g;
    Rules const& rules;
    int gradient[N]{}; ///< node -> its gradient so far, or -1
    bool active[N]{};  ///< depends on something that can be differentiated

    constexpr explicit differentiator(Rules const& of_activations) : rules(of_activations) {
        for (int& i : gradient)
            i = -1;
    }

    constexpr int binary(op kind, int a, int b) {
        shape const form = broadcast(g[a].form, g[b].form);
        int const wide = g[a].form == form ? a : b;
        return g.add(
            {.kind = kind, .form = form, .a = a, .b = b, .columns = g[wide].columns, .rows = g[wide].rows});
    }
    constexpr int number(double value) {
        return g.add({.kind = op::number, .form = shape::scalar, .value = value});
    }
    constexpr bool is_number(int i, double value) const {
        return g[i].kind == op::number && g[i].value == value;
    }
    constexpr int multiply(int a, int b) {
        if (is_number(a, 1))
            return b;
        if (is_number(b, 1))
            return a;
        return binary(op::multiply, a, b);
    }
    constexpr int negate(int a) {
        return g.add(
            {.kind = op::negate, .form = g[a].form, .a = a, .columns = g[a].columns, .rows = g[a].rows});
    }
    /// [B, *] * matrix, or * matrix^T
    constexpr int product(int a, int m, bool transposed) {
        return g.add({.kind = transposed ? op::product_transposed : op::product,
                      .form = shape::batch,
                      .a = a,
                      .b = m,
                      .columns = transposed ? g[m].rows : g[m].columns});
    }
    constexpr int outer(int a, int b, bool grouped) {
        return g.add({.kind = op::outer,
                      .form = shape::matrix,
                      .a = a,
                      .b = b,
                      .grouped = grouped,
                      .columns = g[b].columns,
                      .rows = g[a].columns});
    }

    /// gradient of `to` += contribution; between a vector and a batch it is summed, or spread, over the rows
    constexpr void give(int to, int contribution) {
        if (!active[to] || is_number(contribution, 0))
            return;
        if (g[contribution].form == shape::batch && g[to].form == shape::vector)
            contribution = g.add({.kind = op::column_sum,
                                  .form = shape::vector,
                                  .a = contribution,
                                  .columns = g[contribution].columns});
        else if (g[contribution].form == shape::vector && g[to].form == shape::batch)
            contribution = g.add({.kind = op::spread,
                                  .form = shape::batch,
                                  .a = contribution,
                                  .columns = g[contribution].columns});
        int& sum = gradient[to];
        if (sum < 0)
            sum = contribution;
        else if (g[contribution].kind == op::negate)
            sum = binary(op::subtract, sum, g[contribution].a);
        else
            sum = binary(op::add, sum, contribution);
    }

    /// f'(z, y), from the table of the activations.
    constexpr int derivative(int f, int z, int y) {
        auto const& rule = rules[f].rule;
        int copy[std::remove_cvref_t<decltype(rule)>::capacity]{};
        for (int i = 0; i < rule.size(); ++i) {
            node n = rule[i];
            if (n.kind == op::input) {
                copy[i] = n.order == 0 ? z : y;
                continue;
            }
            n.owner = -1;
            n.a = n.a < 0 ? -1 : copy[n.a];
            n.b = n.b < 0 ? -1 : copy[n.b];
            if (n.a >= 0) {
                n.form = n.b < 0 ? g[n.a].form : broadcast(g[n.a].form, g[n.b].form);
                n.columns = g[y].columns;
                n.rows = g[y].rows;
            }
            copy[i] = g.add(n);
        }
        return copy[rules[f].at];
    }

    constexpr void pull_back(int i) {
        node const n = g[i];
        int const up = gradient[i];
        switch (n.kind) {
        case op::add:
            give(n.a, up), give(n.b, up);
            break;
        case op::subtract:
            give(n.a, up);
            if (active[n.b])
                give(n.b, negate(up));
            break;
        case op::multiply:
            if (active[n.a])
                give(n.a, multiply(up, n.b));
            if (active[n.b])
                give(n.b, multiply(up, n.a));
            break;
        case op::negate:
            give(n.a, negate(up));
            break;
        case op::apply:
            if (int const slope = derivative(n.index, n.a, i); !is_number(slope, 0))
                give(n.a, multiply(up, slope));
            break;
        case op::product:
            if (active[n.a])
                give(n.a, product(up, n.b, true));
            if (active[n.b])
                give(n.b, outer(n.a, up, g[n.b].grouped));
            break;
        case op::product_transposed:
            if (active[n.a])
                give(n.a, product(up, n.b, false));
            if (active[n.b])
                give(n.b, outer(up, n.a, g[n.b].grouped));
            break;
        case op::outer:
            if (active[n.a])
                give(n.a, product(n.b, up, true));
            if (active[n.b])
                give(n.b, product(n.a, up, false));
            break;
        case op::column_sum:
        case op::spread:
            give(n.a, up);
            break;
        default:
            break;
        }
    }
};

constexpr bool is_differentiable_leaf(op k) {
    return k == op::input || k == op::state || k == op::seed || is_parameter(k);
}

} // namespace detail

/// A graph behind which stand the gradients of its leaves.
template <std::size_t M>
struct gradient_graph {
    graph<M> whole{};
    int given = 0;     ///< how many nodes, in front, are those of the graph that was differentiated
    int gradient[M]{}; ///< given node -> node of its gradient, or -1
};

/// Room for the gradient graph of g: a node adds at most seven and, where it applies an activation, the nodes
/// of the activation's derivative; each result has a seed.
template <std::size_t N, class Rules>
constexpr std::size_t gradient_room(graph<N> const& g, Rules const& rules) {
    std::size_t room = 8 * N + 1;
    for (node const& n : g.nodes)
        if (n.kind == op::apply)
            room += static_cast<std::size_t>(rules[n.index].rule.size());
    return room;
}

/// The graph of g and of the gradients of its leaves (input, states, seeds and parameters, in node order).
template <std::size_t M, std::size_t N, class Rules>
constexpr gradient_graph<M> differentiate(graph<N> const& g, Rules const& rules) {
    detail::differentiator<M, Rules> d(rules);
    d.g = resize<M>(g);
    d.g.results.clear();

    int order = 0;
    for (int i = 0; i < g.size(); ++i) {
        node const& n = g[i];
        if (n.kind == op::seed && n.order > order)
            order = n.order;
        d.active[i] = detail::is_differentiable_leaf(n.kind) ||
                      (n.a >= 0 && n.kind != op::zero && d.active[n.a]) || (n.b >= 0 && d.active[n.b]);
    }
    for (int r = 0; r < g.results.size(); ++r) {
        int const at = g.results[r].at;
        d.give(at, d.g.add({.kind = op::seed,
                            .form = g[at].form,
                            .index = r,
                            .order = order + 1,
                            .grouped = g[at].grouped,
                            .columns = g[at].columns,
                            .rows = g[at].rows}));
    }
    for (int i = g.size() - 1; i >= 0; --i)
        if (d.active[i] && d.gradient[i] >= 0)
            d.pull_back(i);
    for (int i = 0; i < g.size(); ++i) {
        node const n = g[i];
        if (!detail::is_differentiable_leaf(n.kind))
            continue;
        int at = d.gradient[i];
        if (at < 0)
            at = d.g.add({.kind = op::zero,
                          .form = n.form,
                          .a = i,
                          .grouped = n.grouped,
                          .columns = n.columns,
                          .rows = n.rows});
        d.g.results.push_back(
            {.kind = role::gradient, .called = n.kind == op::seed ? -1 : n.index, .at = at, .of = i});
    }
    gradient_graph<M> result;
    result.whole = d.g;
    result.given = g.size();
    for (int i = 0; i < static_cast<int>(M); ++i)
        result.gradient[i] = i < g.size() ? d.gradient[i] : -1;
    return result;
}

} // namespace sluice
