// SPDX-License-Identifier: BSL-1.0
// shape: gives every node its shape and its symbolic width. Widths that equations leave open are found by
// unification: operands of + - * have one width, a product has the columns of its matrix.
#pragma once

#include <sluice/graph/graph.hpp>

namespace sluice {

/// A symbol that must have this number of features, met in that gate: checked when the sizes are known.
struct width_constraint {
    width symbol{};
    width number{};
    int owner = -1;
    int about = -1;
};

template <std::size_t N>
struct shaped_graph {
    graph<N> shaped{};
    fixed_vector<width_constraint, 2 * N> constraints{}; ///< a node meets one for each operand at the most
};

namespace detail {

/// Union-find over the columns (2i) and rows (2i + 1) of the nodes.
template <std::size_t N>
struct width_classes {
    int parent[2 * N + 2]{};
    width known[2 * N + 2]{};

    constexpr width_classes() {
        for (int i = 0; i < static_cast<int>(2 * N + 2); ++i)
            parent[i] = i;
    }
    constexpr int root(int i) const {
        while (parent[i] != i)
            i = parent[i];
        return i;
    }
    constexpr width operator[](int i) const { return known[root(i)]; }
};

template <std::size_t N>
struct shaper {
    graph<N>& g;
    fixed_vector<width_constraint, 2 * N>& constraints;
    width_classes<N> classes{};

    static constexpr int columns(int i) { return 2 * i; }
    static constexpr int rows(int i) { return 2 * i + 1; }

    constexpr void refuse(reason why, int at, int about, width left = {}, width right = {}) {
        name const n =
            about >= 0 && g[about].index >= 0 && is_leaf(g[about].kind) ? g.names[g[about].index] : name{};
        g.report({why, g.owner(at), n, left, right});
    }

    /// The classes p and q, which meet in node `at`, become one.
    constexpr void unify(int p, int q, int at, int about = -1) {
        p = classes.root(p);
        q = classes.root(q);
        if (p == q)
            return;
        width const left = classes.known[p], right = classes.known[q];
        if (left != width{} && right != width{} && left != right) {
            bool const left_number = left.kind == symbol::number, right_number = right.kind == symbol::number;
            if (left_number == right_number) {
                refuse(reason::mismatched_widths, at, about, left, right);
                return;
            }
            constraints.push_back({left_number ? right : left, left_number ? left : right, g[at].owner,
                                   about < 0 ? -1 : g[about].index});
        }
        classes.parent[q] = p;
        if (left == width{} || (left.kind == symbol::number && right != width{}))
            classes.known[p] = right == width{} ? left : right;
    }

    constexpr void leaf(int i) {
        node const& n = g[i];
        for (int j = 0; j < i && n.index >= 0; ++j)
            if (is_leaf(g[j].kind) && g[j].index == n.index)
                refuse(reason::one_name_twice, i, i);
        classes.known[columns(i)] = n.columns;
    }

    constexpr void pointwise(int i) {
        node& n = g.nodes[i];
        for (int operand : n.operands()) {
            if (operand < 0)
                continue;
            if (g[operand].form == shape::matrix)
                refuse(reason::matrix_outside_product, i, operand);
            if (n.kind == op::multiply && g[operand].is_bias)
                refuse(reason::product_with_bias, i, operand);
            if (g[operand].form != shape::scalar)
                unify(columns(i), columns(operand), i, operand);
        }
        n.form = n.b < 0 ? g[n.a].form : broadcast(g[n.a].form, g[n.b].form);
    }

    constexpr void product(int i) {
        node& n = g.nodes[i];
        if (g[n.a].form == shape::matrix)
            refuse(reason::matrix_outside_product, i, n.a);
        else if (g[n.a].is_bias)
            refuse(reason::product_with_bias, i, n.a);
        else if (g[n.a].form != shape::batch)
            refuse(reason::product_without_row, i, n.b);
        n.form = shape::batch;
        unify(rows(n.b), columns(n.a), i, n.b);
        unify(columns(i), columns(n.b), i, n.b);
    }

    constexpr void run() {
        for (int i = 0; i < g.size(); ++i) {
            op const kind = g[i].kind;
            if (is_leaf(kind))
                leaf(i);
            else if (kind == op::product)
                product(i);
            else
                pointwise(i);
        }
        for (int i = 0; i < g.size(); ++i) // a next state has the width of its state
            if (g[i].kind == op::state)
                for (definition const& d : g.results)
                    if (d.kind == role::next && d.called == g[i].index)
                        unify(columns(d.at), columns(i), d.at, i);
        for (int i = 0; i < g.size(); ++i) {
            node& n = g.nodes[i];
            n.columns = open_is_units(classes[columns(i)], n.form);
            n.rows = n.kind == op::matrix ? open_is_units(classes[rows(i)], n.form) : width{};
        }
        for (definition const& d : g.definitions)
            if (d.at >= 0 && g[d.at].form != shape::batch &&
                (d.kind != role::gate || g[d.at].form == shape::matrix))
                g.report(
                    {.why = g[d.at].form == shape::matrix ? reason::matrix_outside_product : reason::no_width,
                     .gate = g.names[d.called]});
    }

    static constexpr width open_is_units(width w, shape form) {
        return w == width{} && form != shape::scalar ? width(symbol::units) : w;
    }
};

} // namespace detail

template <std::size_t N>
constexpr shaped_graph<N> give_shapes(graph<N> const& resolved) {
    shaped_graph<N> result; // g++ 12 fails to print a constant that designated initialisers leave in part
    result.shaped = resolved;
    if (!resolved.trouble)
        detail::shaper<N>{result.shaped, result.constraints}.run();
    return result;
}

/// What the numbers of a cell have wrong for these equations. Where they are not `complete`, a zero is a
/// number that is not known yet.
template <std::size_t N>
constexpr problem check_sizes(shaped_graph<N> const& s, sizes const& n, bool complete = true) {
    graph<N> const& g = s.shaped;
    bool uses_projection = false, uses_groups = false;
    for (int i = 0; i < g.size(); ++i)
        for (width w : std::array<width, 2>{g[i].columns, g[i].rows}) {
            uses_projection = uses_projection || w.kind == symbol::projection;
            uses_groups = uses_groups || g[i].grouped;
            if (complete && w != width{} && extent(w, n) == 0)
                return {.why = reason::size_missing, .gate = g.owner(i), .about = name_of(w.kind)};
            if (g[i].grouped && w != width{} && (n.groups == 0 || extent(w, n) % n.groups != 0))
                return {reason::groups_do_not_divide, g.owner(i), g.names[g[i].index], w, width(n.groups)};
        }
    std::size_t total = 0; // of all parameters: they are kept, and their gradients, side by side
    for (int i = 0; i < g.size(); ++i) {
        if (!is_parameter(g[i].kind))
            continue;
        bool const matrix = g[i].kind == op::matrix;
        auto const more = count_of({matrix ? extent(g[i].rows, n) : 1, extent(g[i].columns, n)});
        if (!more || *more > most_numbers - total)
            return {reason::sizes_too_large, g.owner(i), g.names[g[i].index],
                    matrix ? g[i].rows : g[i].columns, g[i].columns};
        total += *more;
    }
    for (width_constraint const& c : s.constraints)
        if (extent(c.symbol, n) != extent(c.number, n) && (complete || extent(c.symbol, n) != 0))
            return {reason::mismatched_widths, c.owner < 0 ? name{} : g.names[g.definitions[c.owner].called],
                    c.about < 0 ? name{} : g.names[c.about], c.symbol, c.number};
    if (n.projection != 0 && !uses_projection)
        return {.why = reason::size_unused, .about = std::string_view("projection")};
    if (n.groups != 1 && !uses_groups)
        return {.why = reason::size_unused, .about = std::string_view("groups")};
    return {};
}

} // namespace sluice
