// SPDX-License-Identifier: BSL-1.0
// A graph put together at run time, node by node; the axes of a node follow from its operands.
#pragma once

#include <random/functions.hpp>
#include <sluice/graph/expand.hpp>
#include <sluice/graph/rules.hpp>
#include <string>
#include <vector>

namespace random_cells {

using sluice::axes;
using sluice::graph;
using sluice::graph_view;
using sluice::node;
using sluice::op;

inline graph_view view_of(graph const& g) {
    return g.seen();
}

struct builder {
    graph g{};

    builder() { g.operations = sluice::rows_of(table{}); }

    int width(sluice::width const& w) { return intern_width(g, w); }
    axes const& shape(int i) const { return g[i].shape; }

    static axes row_of(int columns) { return {.time = true, .row = true, .columns = columns}; }

    int leaf(op kind, std::string const& called, axes const& shape) {
        return g.add({.kind = kind, .shape = shape, .index = g.intern(sluice::name(called))});
    }
    int input(std::string const& called, int columns) { return leaf(op::input, called, row_of(columns)); }
    int state(std::string const& called, int columns) { return leaf(op::state, called, row_of(columns)); }
    int parameter(std::string const& called, axes const& shape, bool fixed = false) {
        return g.add(
            {.kind = op::parameter, .shape = shape, .index = g.intern(sluice::name(called)), .fixed = fixed});
    }
    int setting(std::string const& called) { return leaf(op::setting, called, {}); }
    int number(double value) { return g.add({.kind = op::number, .value = value}); }

    int apply(int f, int a) { return g.add({.kind = op::pointwise, .shape = shape(a), .function = f}, {a}); }
    int apply(int f, int a, int b) {
        return g.add({.kind = op::pointwise, .shape = broadcast(shape(a), shape(b)), .function = f}, {a, b});
    }
    int apply(int f, int a, int b, int c) {
        axes const all = broadcast(shape(a), broadcast(shape(b), shape(c)));
        return g.add({.kind = op::pointwise, .shape = all, .function = f}, {a, b, c});
    }
    int reduce(int f, int a) {
        axes column = shape(a);
        column.columns = sluice::no_axis;
        return g.add({.kind = op::reduce, .shape = column, .function = f}, {a});
    }
    int scan(int f, int a) { return g.add({.kind = op::scan, .shape = shape(a), .function = f}, {a}); }
    int reduce_groups(int f, int a, int groups) {
        return g.add({.kind = op::reduce_groups, .shape = shape(a), .function = f, .groups = groups}, {a});
    }
    int mean(int a) { return apply(f::divide, reduce(f::sum, a), features(a)); }
    int features(int a) { return g.add({.kind = op::features}, {a}); }
    int product(int a, int m) {
        axes result = shape(a);
        result.columns = width_of_product(g, result.columns, shape(m).columns);
        return g.add({.kind = op::product, .shape = result}, {a, m});
    }
    int transpose(int m) {
        axes result = shape(m);
        std::swap(result.columns, result.rows);
        return g.add({.kind = op::transpose, .shape = result}, {m});
    }
    int concat(sluice::list<int> const& parts) {
        axes result{};
        sluice::list<int> widths;
        for (int p : parts) {
            result = broadcast(result, shape(p));
            widths.push_back(shape(p).columns);
        }
        result.columns = sum_of_widths(g, widths);
        return g.add(node{.kind = op::concat, .shape = result}, sluice::view<int>(parts));
    }
    /// `columns` features of a, after those of the width `from`.
    int slice(int a, int from, int columns) {
        axes result = shape(a);
        result.columns = columns;
        return g.add({.kind = op::slice, .shape = result, .from = from}, {a});
    }

    /// The matrix values of that width that have the vector a in each column, or row.
    int repeat(sluice::equation::stands as, int a, int width) {
        return standing(op::repeat, as, a, width, g.widths[width].groups);
    }
    /// The sums of a matrix value over its columns, or rows.
    int fold(sluice::equation::stands as, int a) {
        sluice::width_entry const of = g.widths[shape(a).columns];
        bool const columns = as == sluice::equation::stands::as_column;
        return standing(op::fold, as, a, columns ? of.rows : of.columns, of.groups);
    }
    /// A number of each group in the place of its features.
    int per_group(int a, int width, int groups) {
        return standing(op::repeat, sluice::equation::stands::in_group, a, width, groups);
    }
    int standing(op kind, sluice::equation::stands as, int a, int width, int groups) {
        axes result = shape(a);
        result.columns = width;
        return g.add({.kind = kind, .shape = result, .order = static_cast<int>(as), .groups = groups}, {a});
    }

    /// The gradient of a number of each row with respect to node a, written out.
    int derivative(int loss, int a) {
        static sluice::derivative_rules_table const rules = sluice::derivative_rules(table{});
        sluice::detail::derivative_writer writer(g.seen(), rules);
        int const at = writer.write(loss, a, -1);
        g = writer.g;
        return at;
    }

    void define(sluice::role kind, std::string const& called, int at) {
        int const name = g.intern(sluice::name(called));
        g.definitions.push_back({.kind = kind, .called = name, .at = at});
        if (kind != sluice::role::gate)
            g.results.push_back({.kind = kind, .called = name, .at = at});
    }
};

/// The same graph without the nodes that neither a result nor a state needs. `instead[i]`, where it is not
/// negative, is a node before i that takes its place.
inline graph rebuilt(graph const& g, std::vector<int> const& instead = {}) {
    auto const kept = [&](int i) {
        while (!instead.empty() && instead[static_cast<std::size_t>(i)] >= 0)
            i = instead[static_cast<std::size_t>(i)];
        return i;
    };
    std::vector<bool> live(static_cast<std::size_t>(g.size()));
    for (sluice::definition const& d : g.results)
        live[static_cast<std::size_t>(kept(d.at))] = true;
    for (int i = g.size() - 1; i >= 0; --i) {
        bool carried = false;
        for (sluice::definition const& d : g.results)
            carried =
                carried || (g[i].kind == op::state && d.kind == sluice::role::next && d.called == g[i].index);
        if (carried)
            live[static_cast<std::size_t>(i)] = true;
        if (live[static_cast<std::size_t>(i)])
            for (int k : view_of(g).operands_of(i))
                live[static_cast<std::size_t>(kept(k))] = true;
    }
    graph result;
    result.operations = g.operations;
    result.names = g.names;
    result.widths = g.widths;
    result.parts = g.parts;
    std::vector<int> now(static_cast<std::size_t>(g.size()), -1);
    for (bool leaves : {true, false}) // leaves come first
        for (int i = 0; i < g.size(); ++i) {
            if (!live[static_cast<std::size_t>(i)] || sluice::is_leaf(g[i].kind) != leaves)
                continue;
            sluice::list<int> from;
            for (int k : view_of(g).operands_of(i))
                from.push_back(now[static_cast<std::size_t>(kept(k))]);
            now[static_cast<std::size_t>(i)] = result.add(g[i], sluice::view<int>(from));
        }
    for (sluice::definition d : g.results) {
        d.at = now[static_cast<std::size_t>(kept(d.at))];
        result.results.push_back(d);
    }
    for (sluice::definition d : g.definitions) {
        d.at = now[static_cast<std::size_t>(kept(d.at))];
        if (d.at >= 0)
            result.definitions.push_back(d);
    }
    return result;
}

} // namespace random_cells
