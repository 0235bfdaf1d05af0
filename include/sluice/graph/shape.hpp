// SPDX-License-Identifier: BSL-1.0
// shape: how wide every value is. Widths that equations leave open are found by unification: operands of + -
// * have one width, a product has the columns of its matrix, a concat the sum of its parts. Then matrix
// values are laid out as vectors, row by row: what comes after knows vectors and weights only.
#pragma once

#include <sluice/graph/operations.hpp>
#include <sluice/graph/shaped_graph.hpp>

namespace sluice {

namespace detail {

constexpr bool fits(std::size_t from, std::size_t part, std::size_t whole) {
    return part <= whole && from <= whole - part;
}

struct shaper : width_classes {
    graph& g;
    list<width_constraint>& constraints;
    list<int> factors{}; ///< products of one feature and of an open width

    constexpr shaper(graph& of, list<width_constraint>& to) : g(of), constraints(to) {}

    constexpr void refuse(reason why, int at, int about, int left = -1, int right = -1) {
        while (about >= 0 && !is_leaf(g[about].kind) && g.is_matrix(about)) // a matrix that it is made of
            about = matrix_of(about);
        bool const named = about >= 0 && g[about].index >= 0 && is_leaf(g[about].kind);
        g.report({why, g.owner(at), named ? g.names[g[about].index] : name{}, width_word(left),
                  width_word(right)});
    }
    constexpr width width_word(int w) const {
        return w < 0 ? width{} : g.widths[w].count > 0 ? width(symbol::sum) : g.widths[w].one;
    }

    /// Whether a width depends on a plain number: it may then be equal to any other.
    constexpr bool has_number(int w) const { return is_number(w) || g.widths[w].plus != 0; }
    constexpr bool is_number(int w) const { return g.widths[w].one.kind == symbol::number; }
    /// Where sum() of one feature can be meant: in a function element by element, or beside a matrix value.
    constexpr bool is_elementwise(int i) const {
        return (g[i].kind == op::pointwise && !g[i].shape.is_matrix()) || g[i].kind == op::repeat;
    }
    /// Of two widths that are equal, a symbol says more than a number, and either more than a sum.
    constexpr int rank(int w) const { return g.widths[w].count > 0 ? 0 : is_number(w) ? 1 : 2; }

    /// The classes p and q, which meet in node `at`, become one.
    constexpr void unify(int p, int q, int at, int about = -1) {
        p = root(p);
        q = root(q);
        if (p == q)
            return;
        int const left = known[p], right = known[q];
        if (left >= 0 && right >= 0 && left != right) {
            if (int const guess = g.is_one(left) ? guessed[p] : g.is_one(right) ? guessed[q] : -1; guess >= 0)
                return refuse(reason::open_beside_one, guess, about, left, right);
            if ((!has_number(left) && !has_number(right)) || (is_number(left) && is_number(right))) {
                refuse(is_elementwise(at) && (g.is_one(left) || g.is_one(right)) ? reason::one_feature
                                                                                 : reason::mismatched_widths,
                       at, about, left, right);
                return;
            }
            constraints.push_back({rank(left) < rank(right) ? right : left,
                                   rank(left) < rank(right) ? left : right, g[at].owner,
                                   about < 0 ? -1 : g[about].index, is_elementwise(at)});
        }
        join(p, q, left < 0 || (right >= 0 && rank(right) > rank(left)) ? right : left);
    }
    /// Class p has width w.
    constexpr void give(int p, int w, int at) { unify(p, add(w), at); }

    constexpr void leaf(int i, list<int>& leaf_called) {
        node const& n = g[i];
        if (n.index < 0)
            return;
        int& there = leaf_called[n.index];
        if (there < 0)
            there = i;
        else if (g[there].kind == op::parameter && n.kind == op::parameter && g[there].fixed != n.fixed)
            refuse(reason::fixed_and_trained, i, i);
        else
            refuse(reason::one_name_twice, i, i);
    }

    constexpr bool is_constant_number(int i) const {
        return g[i].kind == op::number || g[i].kind == op::setting;
    }

    constexpr void pointwise(int i) {
        bool const is_sum = g.is(i, f_add) || g.is(i, f_subtract) || g.is(i, f_negate);
        bool const is_product = g.is(i, f_multiply);
        int first_matrix = -1;
        if (g[i].shape.is_value)
            return of_values(i);
        for (int o : g.operands_of(i)) {
            if (!g.is_matrix(o) && g[i].shape.is_matrix() && !(is_product && is_constant_number(o)))
                refuse(g[o].shape.is_scalar() ? reason::matrix_function : reason::matrix_outside_product, i,
                       matrix_of(i));
            if (g.is_matrix(o) && !is_sum && !is_product)
                refuse(reason::matrix_function, i, matrix_of(i));
            if (g[o].is_bias && (is_product || g.is(i, f_divide)))
                refuse(reason::product_with_bias, i, o);
            if (g.is_matrix(o)) {
                if (first_matrix >= 0 && is_product)
                    refuse(reason::two_matrices, i, o);
                if (first_matrix >= 0 && g[first_matrix].shape.groups != g[o].shape.groups)
                    refuse(reason::mismatched_groups, i, o);
                first_matrix = o;
                unify(rows(i), rows(o), i, o);
            }
            if (g.is_matrix(o))
                unify(columns(i), columns(o), i, o);
        }
        if (!g[i].shape.is_matrix())
            features_of(i);
    }
    constexpr bool is_narrow(int o) { return g.is_one(width_at(columns(o))); }
    /// One feature is a number of its row, which meets any width. In a product it says nothing of an open
    /// width, which may be found elsewhere; in any other function an open width beside it is one too.
    constexpr void features_of(int i) {
        bool narrow = false, wide = false, open = false, guess = false;
        bool const is_given = is_narrow(i);
        for (int o : g.operands_of(i))
            if (g[o].shape.has_features()) {
                bool const is_open = width_at(columns(o)) < 0;
                narrow = narrow || is_narrow(o);
                open = open || is_open;
                wide = wide || !(is_open || is_narrow(o));
                guess = guess || (is_open && g[o].shape.row);
            }
        bool const is_factor = g.is(i, f_multiply) || g.is(i, f_divide);
        bool const apart = narrow && (wide || (open && is_factor)) && !is_given;
        for (int o : g.operands_of(i))
            if (g[o].shape.has_features() && !(apart && is_narrow(o)))
                unify(columns(i), columns(o), i, o);
        if (apart && !wide)
            factors.push_back(i);
        else if (narrow && !wide && guess && !is_given)
            guessed[root(columns(i))] = i;
    }
    /// A product that is as wide as nothing else has one feature, but where concats are still open.
    constexpr void settle(list<int> const& concats) {
        for (int i : factors) {
            bool waits = false;
            for (int c : concats)
                waits = waits || root(columns(c)) == root(columns(i));
            if (!waits && width_at(columns(i)) < 0)
                width_at(columns(i)) = g.intern(width(std::size_t(1)));
        }
    }
    /// What a function of one feature is made of has one, or none.
    constexpr void narrow_operands() {
        for (int i = g.size() - 1; i >= 0; --i)
            for (int o : g.operands_of(i))
                if (g[i].kind == op::pointwise && is_narrow(i) && g[o].shape.has_features())
                    unify(columns(i), columns(o), i, o);
    }
    /// A function of matrix values: other operands have no features.
    constexpr void of_values(int i) {
        for (int o : g.operands_of(i)) {
            if (g.is_matrix(o))
                refuse(reason::matrix_outside_product, i, o);
            else if (!g[o].shape.is_value && g[o].shape.has_features())
                refuse(reason::vector_and_matrix, i, o);
            else if (g[o].shape.is_value && g[o].shape.groups != g[i].shape.groups)
                refuse(reason::mismatched_groups, i, o);
            else if (g[o].shape.is_value)
                unify_both(i, o, i, o);
        }
    }
    constexpr void unify_both(int i, int o, int at, int about) {
        unify(rows(i), rows(o), at, about);
        unify(columns(i), columns(o), at, about);
    }
    /// What stands in a matrix value, or is a sum over it.
    constexpr void standing(int i) {
        int const of = g.operand(i), matrix = g[i].kind == op::repeat ? i : of,
                  vector = g[i].kind == op::repeat ? of : i;
        if (g[i].stands(equation::stands::in_group)) {
            node_of_vector(i);
            return give(columns(of), g[i].groups, i);
        }
        bool const in_columns = g[i].stands(equation::stands::as_column);
        if (g[i].kind == op::repeat && g[of].shape.is_value)
            refuse(reason::matrix_value, i, of);
        else
            node_of_vector(i);
        unify(in_columns ? rows(matrix) : columns(matrix), columns(vector), i, of);
    }
    /// An operand of node i that is a matrix.
    constexpr int matrix_of(int i) const {
        for (int o : g.operands_of(i))
            if (g.is_matrix(o))
                return o;
        return -1;
    }

    constexpr void product(int i) {
        int const a = g.operand(i, 0), m = g.operand(i, 1);
        if (g[a].is_bias)
            refuse(reason::product_with_bias, i, a);
        else if (!g[a].shape.row)
            refuse(reason::product_without_row, i, m);
        else if (!g[a].shape.has_features())
            refuse(reason::product_without_features, i, m);
        else if (g[a].shape.is_value && g[a].shape.groups != g[m].shape.groups)
            refuse(reason::heads_of_product, i, m);
        unify(rows(m), columns(a), i, m);
        unify(columns(i), columns(m), i, m);
        if (g[a].shape.is_value)
            unify(rows(i), rows(a), i, a);
    }

    constexpr void node_of_vector(int i) {
        for (int o : g.operands_of(i))
            if (g.is_matrix(o))
                refuse(reason::matrix_outside_product, i, o);
            else if (g[o].shape.is_value && !g[i].shape.is_value && g[i].kind != op::fold)
                refuse(reason::matrix_value, i, o);
        for (int o : g.operands_of(i)) {
            if (about(g[i].kind).needs_features && !g[o].shape.has_features())
                refuse(reason::without_features, i, o);
            if (about(g[i].kind).is_as_wide && g[o].shape.is_value)
                unify_both(i, o, i, o);
            else if (about(g[i].kind).is_as_wide && g[o].shape.has_features())
                unify(columns(i), columns(o), i, o);
        }
    }

    constexpr void transpose(int i) {
        int const m = g.operand(i);
        if (!g.is_matrix(m)) {
            refuse(reason::transposed_without_matrix, i, m);
            return;
        }
        g.nodes[i].shape.groups = g[m].shape.groups;
        unify(columns(i), rows(m), i, m);
        unify(rows(i), columns(m), i, m);
    }

    constexpr void visit(int i) {
        switch (g[i].kind) {
        case op::pointwise:
            return pointwise(i);
        case op::product:
            return product(i);
        case op::transpose:
            return transpose(i);
        case op::derivative:
            return unify_both(i, g.operand(i, 1), i, g.operand(i, 1));
        case op::repeat:
        case op::fold:
            return standing(i);
        default:
            if (!is_leaf(g[i].kind))
                node_of_vector(i);
        }
    }

    /// Gives node i, a concat, the sum of its parts; without `all`, only if all of them are known. A part
    /// that nothing says anything of is as wide as the units.
    constexpr bool sum_up(int i, bool all) {
        list<int> parts;
        std::size_t numbers = 0;
        for (int o : g.operands_of(i)) {
            int const w = width_at(columns(o));
            if (w < 0 && !all)
                return false;
            parts.push_back(w < 0 ? width_at(columns(o)) = g.intern(width(symbol::units)) : w);
            std::size_t const more = w < 0          ? 0
                                     : is_number(w) ? g.widths[w].one.features
                                                    : static_cast<std::size_t>(g.widths[w].plus);
            if (more > most_numbers - numbers) {
                refuse(reason::sizes_too_large, i, o, parts[0], parts.back());
                return true;
            }
            numbers += more;
        }
        give(columns(i), g.sum_of_widths(parts), i);
        return true;
    }

    constexpr void concats() {
        list<int> open, still;
        for (int i = 0; i < g.size(); ++i)
            if (g[i].kind == op::concat)
                open.push_back(i);
        bool guess = false;
        settle(open);
        while (!open.empty() && !g.trouble) {
            still.clear();
            for (int i : open) {
                bool const done = sum_up(i, guess);
                if (!done)
                    still.push_back(i);
                guess = guess && !done;
            }
            guess = still.size() == open.size();
            open = still;
            settle(open);
        }
    }

    constexpr void run() {
        list<int> leaf_called(g.names.size(), -1);
        reserve(2 * g.size());
        for (int i = 0; i < g.size(); ++i) {
            add(g[i].shape.columns < 0 ? open_axis : g[i].shape.columns);
            add(g[i].shape.rows < 0 ? open_axis : g[i].shape.rows);
        }
        states(true);
        narrow_operands();
        for (int i = 0; i < g.size(); ++i) {
            if (is_leaf(g[i].kind))
                leaf(i, leaf_called);
            else
                visit(i);
            if (g.trouble)
                return;
        }
        states(false);
        concats();
        for (int i = 0; i < g.size(); ++i)
            finish(i);
        what_results_are();
        if (!g.trouble)
            lay_out(g);
    }

    /// A next state has the width of its state, and so has the vector at which it starts; one feature first.
    constexpr void states(bool of_one) {
        auto const unify_with_state = [&](definition const& d, role kind) {
            for (int i = 0; d.kind == kind && i < g.size() && is_leaf(g[i].kind); ++i)
                if (g[i].kind == op::state && g[i].index == d.called &&
                    (!of_one || g.is_one(g[i].shape.columns))) {
                    if (g[i].shape.is_value && kind == role::initial)
                        continue; // refused by its word
                    if (g[i].shape.is_value != g[d.at].shape.is_value)
                        refuse(reason::vector_and_matrix, d.at, i);
                    else if (g[i].shape.is_value && g[i].shape.groups != g[d.at].shape.groups)
                        refuse(reason::mismatched_groups, d.at, i);
                    else
                        unify(columns(d.at), columns(i), d.at, i);
                    if (g[i].shape.is_value && !g.trouble)
                        unify(rows(d.at), rows(i), d.at, i);
                }
        };
        for (definition const& d : g.results)
            unify_with_state(d, role::next);
        for (definition const& d : g.definitions)
            unify_with_state(d, role::initial);
    }

    constexpr void finish(int i) {
        axes& s = g.nodes[i].shape;
        auto const settle = [&](int& axis, int p) {
            if (axis == no_axis)
                return;
            axis = width_at(p);
            if (axis < 0)
                axis = g.intern(width(symbol::units));
        };
        settle(s.columns, columns(i));
        settle(s.rows, rows(i));
        for (int o : g.operands_of(i))
            if (int const guess = guessed[root(columns(o))]; guess >= 0 && is_number_in(g, i, o))
                refuse(reason::open_beside_one, guess, o, g[i].shape.columns, g[o].shape.columns);
        if (g[i].kind == op::slice && is_beyond(i))
            refuse(reason::slice_beyond, i, g.operand(i), s.columns, g[g.operand(i)].shape.columns);
    }

    /// Whether a slice of numbers reaches too far.
    constexpr bool is_beyond(int i) const {
        int const whole = g[g.operand(i)].shape.columns, from = g[i].from, part = g[i].shape.columns;
        if (!is_number(whole) || !is_number(part) || (from >= 0 && !is_number(from)))
            return false;
        return !fits(g.offset(from, {}), g.extent(part, {}), g.extent(whole, {}));
    }

    constexpr void what_results_are() {
        for (definition const& d : g.definitions) {
            if (d.kind == role::gate || d.kind == role::initial)
                continue;
            if (g.is_matrix(d.at))
                g.report({.why = reason::matrix_outside_product, .gate = g.names[d.called]});
            else if (!g[d.at].shape.row)
                g.report({.why = reason::no_width, .gate = g.names[d.called]});
        }
    }
};

} // namespace detail

constexpr shaped_graph give_shapes(graph_view const& resolved) {
    shaped_graph result(resolved);
    if (!resolved.trouble)
        detail::shaper{result.shaped, result.constraints}.run();
    return result;
}

} // namespace sluice
