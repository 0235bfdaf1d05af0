// SPDX-License-Identifier: BSL-1.0
// A graph whose shapes are known (graph/shape.hpp), and the equal widths that are checked with the sizes.
// What later passes need not know of is laid out: a matrix value becomes a vector of its rows, and where one
// feature meets another width, sum() makes a number of each row of it.
#pragma once

#include <sluice/graph/operations.hpp>

namespace sluice {

/// Two widths that must be the same number of features, met in that gate: checked when the sizes are known.
struct width_constraint {
    int left = -1; ///< widths of the graph
    int right = -1;
    int owner = -1;           ///< definition
    int about = -1;           ///< name
    bool elementwise = false; ///< in a function of features, not in a product
};

/// A graph with its shapes, and what is left to check.
struct shaped_view {
    graph_view shaped{};
    view<width_constraint> constraints{};

    constexpr shaped_view() = default;
    constexpr explicit shaped_view(problem const& p) : shaped(p) {}
    template <class F>
    constexpr decltype(auto) lists(F&& f) {
        return shaped.lists([&](auto&... each) -> decltype(auto) { return f(each..., constraints); });
    }
    constexpr problem facts() const { return shaped.facts(); }
};
struct shaped_graph {
    using view_type = shaped_view;

    graph shaped{};
    list<width_constraint> constraints{};

    constexpr explicit shaped_graph(graph_view const& resolved) : shaped(resolved) {}
    template <class F>
    constexpr decltype(auto) lists(F&& f) {
        return shaped.lists([&](auto&... each) -> decltype(auto) { return f(each..., constraints); });
    }
    constexpr problem facts() const { return shaped.facts(); }
};

namespace detail {

/// Whether operand o is one feature where node i, a function element by element, has another width.
constexpr bool is_number_in(graph const& g, int i, int o) {
    axes const& s = g[i].shape;
    return g[i].kind == op::pointwise && s.has_features() && !s.is_matrix() && !s.is_value &&
           !g.is_one(s.columns) && g[o].shape.has_features() && g.is_one(g[o].shape.columns);
}

/// Member by member: an assignment of graphs is no constant expression to nvcc.
constexpr void replace_nodes(graph& g, graph const& by) {
    g.nodes = by.nodes;
    g.operands = by.operands;
    for (int bucket = 0; bucket < graph::buckets; ++bucket)
        g.heads[bucket] = by.heads[bucket];
}

/// The graph in which leaves come first, numbers of a row are sums of one feature, and nodes that have become
/// the same are one.
constexpr void rebuild(graph& g) {
    graph one;
    list<int> built(g.size(), -1);
    for (int i = 0; i < g.size(); ++i)
        if (is_leaf(g[i].kind))
            built[i] = one.add(g[i]);
    for (int i = 0; i < g.size(); ++i) {
        list<int> from;
        for (int o : g.operands_of(i)) {
            int operand = built[o];
            if (is_number_in(g, i, o)) {
                node sum{.kind = op::reduce, .shape = g[o].shape, .function = f_sum, .owner = g[i].owner};
                sum.shape.columns = no_axis;
                operand = one.add(sum, {operand});
            }
            from.push_back(operand);
        }
        if (!is_leaf(g[i].kind))
            built[i] = one.add(g[i], view<int>(from));
    }
    replace_nodes(g, one);
    for (definition& d : g.definitions)
        d.at = d.at < 0 ? -1 : built[d.at];
    for (definition& d : g.results)
        d.at = built[d.at];
}

/// A matrix value is a vector of its rows, group by group, and a number of a row has no features.
constexpr void lay_out(graph& g) {
    bool changes = false;
    for (int i = 0; i < g.size(); ++i)
        for (int o : g.operands_of(i))
            changes = changes || is_number_in(g, i, o);
    for (node& n : g.nodes) {
        n.shape = laid_out(g, n.shape);
        if (n.kind == op::repeat) {
            n.value = 0;
            changes = true;
        }
    }
    if (changes)
        rebuild(g);
}

} // namespace detail
} // namespace sluice
