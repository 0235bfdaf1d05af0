// SPDX-License-Identifier: BSL-1.0
// What a graph means, in double and in plain loops: node by node, time step by time step. No planner, no
// backend.
#pragma once

#include <algorithm>
#include <random/builder.hpp>
#include <stdexcept>
#include <vector>

namespace random_cells {

using std::size_t;

constexpr size_t at(int i) {
    return static_cast<size_t>(i);
}

/// The value of a node at one time step: an axis that it lacks has the extent 1. A block-diagonal matrix is a
/// whole matrix with zeros outside its blocks.
struct array {
    size_t rows = 1;
    size_t columns = 1;
    std::vector<double> numbers{};

    array() = default;
    array(size_t r, size_t c, double value = 0) : rows(r), columns(c), numbers(r * c, value) {}

    double& operator()(size_t r, size_t c) { return numbers[r * columns + c]; }
    double operator()(size_t r, size_t c) const { return numbers[r * columns + c]; }
    /// With broadcast.
    double spread(size_t r, size_t c) const { return (*this)(rows == 1 ? 0 : r, columns == 1 ? 0 : c); }
};

/// Values by time step; one value of what has no time.
using history = std::vector<array>;

/// How large everything is, and how long the rows of the batch are (empty: all as long as the sequence).
struct extents {
    sluice::sizes n{};
    size_t steps = 1;
    size_t batch = 1;
    std::vector<size_t> lengths{};

    size_t length(size_t row) const { return lengths.empty() ? steps : lengths[row]; }
};

/// The value of node i at time t.
inline array const& value(std::vector<history> const& values, int i, size_t t) {
    history const& all = values[at(i)];
    return all.size() == 1 ? all[0] : all.at(t); // throws where it has none
}

inline array empty_array(graph_view g, int i, extents const& e, double number = 0) {
    axes const& s = g[i].shape;
    return {s.is_matrix() ? g.extent(s.rows, e.n) : s.row ? e.batch : 1, g.extent(s.columns, e.n), number};
}

/// Column c of a value of `columns` features within the `all` features of what it is a part of, after
/// `before`.
inline size_t place_of_column(size_t c, size_t columns, size_t all, size_t before, size_t groups) {
    size_t const group = c / (columns / groups);
    return group * (all / groups) + before / groups + c - group * (columns / groups);
}

/// Whether an element lies in a block of a block-diagonal matrix.
inline bool in_block(array const& m, size_t r, size_t c, size_t groups) {
    return r * groups / m.rows == c * groups / m.columns;
}

/// The number of a vector that stands in column k of what is as wide as `wide`: in the columns or the rows of
/// a matrix value, or in the place of the features of a group.
inline size_t place_in_vector(auto const& widths, extents const& e, int wide, sluice::equation::stands as,
                              int in_groups, size_t k) {
    using sluice::equation::stands;
    auto const number = [&](int w) { return widths.extent(w, e.n); };
    if (as == stands::in_group)
        return k / (number(wide) / number(in_groups));
    sluice::width_entry const& m = widths.widths[wide];
    size_t const rows = number(m.rows) / number(m.groups), columns = number(m.columns) / number(m.groups);
    return as == stands::as_column ? k / columns : k / (rows * columns) * columns + k % columns;
}

/// What is multiplied with a matrix: a vector, or each of the rows of a matrix value, which are in so many
/// groups, with the block of its group.
struct rows_of_value {
    size_t count = 1, groups = 1;

    static rows_of_value of(auto const& widths, extents const& e, int width) {
        if (width < 0 || !widths.widths[width].is_product())
            return {};
        sluice::width_entry const& m = widths.widths[width];
        return {widths.extent(m.rows, e.n), widths.extent(m.groups, e.n)};
    }
    /// f(column of a, column of y, row of m, column of m) for what meets in y = a m.
    void each(array const& m, auto const& f) const {
        size_t const inner = m.rows / groups, outer = m.columns / groups;
        for (size_t i = 0; i < count; ++i)
            for (size_t k = 0, block = i / (count / groups); k < inner; ++k)
                for (size_t c = 0; c < outer; ++c)
                    f(i * inner + k, i * outer + c, block * inner + k, block * outer + c);
    }
};

/// The value of a computed node from those of its operands; products of the rows of a batch are summed over
/// the batch, not over time.
inline array compute(graph_view g, int i, extents const& e, auto const& operand) {
    node const& n = g[i];
    array y = empty_array(g, i, e);
    size_t const groups = n.groups < 0 ? 1 : g.extent(n.groups, e.n);
    auto const each = [&](auto const& f) {
        for (size_t r = 0; r < y.rows; ++r)
            for (size_t c = 0; c < y.columns; ++c)
                f(r, c);
    };
    switch (n.kind) {
    case op::number:
        y(0, 0) = n.value;
        break;
    case op::zero:
        break;
    case op::features:
        y(0, 0) = static_cast<double>(g.extent(g[g.operand(i)].shape.columns, e.n));
        break;
    case op::pointwise: {
        array const& a = operand(0);
        array const& b = operand(n.count > 1 ? 1 : 0);
        array const& third = operand(n.count - 1);
        each([&](size_t r, size_t c) {
            y(r, c) = functions[at(n.function)].value(a.spread(r, c), b.spread(r, c), third.spread(r, c));
        });
        break;
    }
    case op::reduce: {
        array const& a = operand(0);
        for (size_t r = 0; r < y.rows; ++r) {
            double all = functions[at(n.function)].start;
            for (size_t c = 0; c < a.columns; ++c)
                all = functions[at(n.function)].value(all, a(r, c), 0);
            y(r, 0) = all;
        }
        break;
    }
    case op::reduce_groups: {
        size_t const part = y.columns / groups;
        each([&](size_t r, size_t c) {
            y(r, c) = functions[at(n.function)].start;
            for (size_t k = c / part * part; k < (c / part + 1) * part; ++k)
                y(r, c) = functions[at(n.function)].value(y(r, c), operand(0)(r, k), 0);
        });
        break;
    }
    case op::scan:
        each([&](size_t r, size_t c) {
            function const& f = functions[at(n.function)];
            y(r, c) = f.start;
            for (size_t k = 0; k <= (f.reversed ? y.columns - 1 - c : c); ++k)
                y(r, c) = f.value(y(r, c), operand(0)(r, f.reversed ? y.columns - 1 - k : k), 0);
        });
        break;
    case op::product: {
        array const& a = operand(0);
        array const& m = operand(1);
        auto const of = rows_of_value::of(g, e, g[g.operand(i)].shape.columns);
        if (a.columns * of.groups != m.rows * of.count)
            throw std::logic_error("a product of widths that do not meet");
        for (size_t r = 0; r < y.rows; ++r)
            of.each(
                m, [&](size_t in_a, size_t in_y, size_t k, size_t c) { y(r, in_y) += a(r, in_a) * m(k, c); });
        break;
    }
    case op::outer: {
        array const& a = operand(0);
        array const& b = operand(1);
        size_t const blocks = n.shape.groups < 0 ? 1 : g.extent(n.shape.groups, e.n);
        size_t const rows = std::max(a.rows, b.rows);
        if (auto const of = rows_of_value::of(g, e, g[g.operand(i)].shape.columns); of.count != 1) {
            for (size_t r = 0; r < rows; ++r)
                of.each(y, [&](size_t in_a, size_t in_b, size_t k, size_t c) {
                    y(k, c) += a.spread(r, in_a) * b.spread(r, in_b);
                });
            break;
        }
        each([&](size_t r, size_t c) {
            for (size_t k = 0; k < rows && in_block(y, r, c, blocks); ++k)
                y(r, c) += a.spread(k, r) * b.spread(k, c);
        });
        break;
    }
    case op::total: {
        array const& a = operand(0);
        for (size_t r = 0; r < a.rows; ++r)
            for (size_t c = 0; c < a.columns; ++c)
                y(y.rows == 1 ? 0 : r, y.columns == 1 ? 0 : c) += a(r, c);
        break;
    }
    case op::spread:
        each([&](size_t r, size_t c) { y(r, c) = operand(0).spread(r, c); });
        break;
    case op::slice: {
        array const& a = operand(0);
        size_t const before = n.from < 0 ? 0 : g.extent(n.from, e.n);
        each([&](size_t r, size_t c) {
            y(r, c) = a(r, place_of_column(c, y.columns, a.columns, before, groups));
        });
        break;
    }
    case op::concat: {
        size_t before = 0;
        for (int k = 0; k < n.count; ++k) {
            array const& part = operand(k);
            size_t const columns = g.extent(g[g.operand(i, k)].shape.columns, e.n);
            for (size_t r = 0; r < y.rows; ++r)
                for (size_t c = 0; c < columns; ++c)
                    y(r, place_of_column(c, columns, y.columns, before, groups)) = part.spread(r, c);
            before += columns;
        }
        if (before != y.columns)
            throw std::logic_error("a concat of other widths than its own");
        break;
    }
    case op::repeat:
    case op::fold: {
        array const& a = operand(0);
        bool const repeats = n.kind == op::repeat;
        int const wide = (repeats ? n : g[g.operand(i)]).shape.columns;
        for (size_t k = 0; k < (repeats ? y : a).columns; ++k) {
            auto const as = static_cast<sluice::equation::stands>(n.order);
            size_t const from = place_in_vector(g, e, wide, as, n.groups, k);
            for (size_t r = 0; r < y.rows; ++r)
                (repeats ? y(r, k) : y(r, from)) += repeats ? a(r, from) : a(r, k);
        }
        break;
    }
    case op::transpose:
        each([&](size_t r, size_t c) { y(r, c) = operand(0)(c, r); });
        break;
    default:
        throw std::logic_error("a leaf without a value, or a reference");
    }
    return y;
}

/// A graph through time: values of nodes [first, last) from those in front of them, with time steps forward
/// or, in a gradient, backward. What has no time is computed before the steps, or after them if it is a sum
/// over time. `begin(t)` and `finish(t)` stand around the step t: they give leaves their values, and carry
/// states.
inline void evaluate(graph_view g, extents const& e, std::vector<history>& values, int first, int last,
                     bool forward, auto const& begin, auto const& finish) {
    enum when { once, stepwise, behind };
    auto const sums_over_time = [&](int i) {
        if (g[i].kind != op::outer && g[i].kind != op::total)
            return false;
        bool time = false;
        for (int k : g.operands_of(i))
            time = time || g[k].shape.time;
        return time && !g[i].shape.time;
    };
    std::vector<when> turn(at(last), once);
    for (int i = first; i < last; ++i) {
        turn[at(i)] = g[i].shape.time ? stepwise : once;
        for (int k : g.operands_of(i))
            if (k >= first && (turn[at(k)] == behind || sums_over_time(k)))
                turn[at(i)] = behind;
        if (g[i].shape.time && turn[at(i)] == behind)
            throw std::logic_error("a value of a time step depends on a sum over time");
        if (g[i].shape.time || sums_over_time(i))
            values[at(i)].assign(g[i].shape.time ? e.steps : 1, empty_array(g, i, e));
    }
    auto const compute_at = [&](int i, size_t t) {
        return compute(g, i, e, [&](int k) -> array const& { return value(values, g.operand(i, k), t); });
    };
    auto const is_computed = [&](int i) {
        return !sluice::is_leaf(g[i].kind) || g[i].kind == op::number || g[i].kind == op::zero;
    };
    for (int i = first; i < last; ++i)
        if (is_computed(i) && turn[at(i)] == once && !sums_over_time(i))
            values[at(i)] = {compute_at(i, 0)};
    for (size_t count = 0; count < e.steps; ++count) {
        size_t const t = forward ? count : e.steps - 1 - count;
        begin(t);
        for (int i = first; i < last; ++i)
            if (is_computed(i) && g[i].shape.time)
                values[at(i)][t] = compute_at(i, t);
            else if (sums_over_time(i)) {
                array const more = compute_at(i, t);
                for (size_t k = 0; k < more.numbers.size(); ++k)
                    values[at(i)][0].numbers[k] += more.numbers[k];
            }
        finish(t);
    }
    for (int i = first; i < last; ++i)
        if (is_computed(i) && turn[at(i)] == behind && !sums_over_time(i))
            values[at(i)] = {compute_at(i, 0)};
}

/// The leaf of that kind and index, or -1.
inline int leaf_of(graph_view g, op kind, int index) {
    for (int i = 0; i < g.size(); ++i)
        if (g[i].kind == kind && g[i].index == index)
            return i;
    return -1;
}

/// What a sequence is given: the values of the leaves (of a state, the initial one), by node.
using leaf_values = std::vector<history>;

/// What comes out: outputs by time step, zeros after the end of a row; and the states after the last step.
struct results {
    history outputs{};
    std::vector<array> states{};
    std::vector<history> values{}; ///< of all nodes
};

inline results run_forward(graph_view g, extents const& e, leaf_values const& given) {
    results r;
    r.values.resize(at(g.size()));
    std::vector<int> leaf_of_state;
    for (int k = 1; k < g.results.size(); ++k) {
        leaf_of_state.push_back(leaf_of(g, op::state, g.results[k].called));
        r.states.push_back(given[at(leaf_of_state.back())][0]);
    }
    for (int i = 0; i < g.size(); ++i)
        if (sluice::is_leaf(g[i].kind) && g[i].kind != op::state)
            r.values[at(i)] = given[at(i)];
    auto const begin = [&](size_t t) {
        for (size_t k = 0; k < r.states.size(); ++k)
            r.values[at(leaf_of_state[k])][t] = r.states[k];
        for (int i = 0; i < g.size(); ++i)
            if (g[i].kind == op::input)
                r.values[at(i)][t] = given[at(i)][t];
    };
    auto const finish = [&](size_t t) {
        for (size_t k = 0; k < r.states.size(); ++k) {
            array const& next = value(r.values, g.results[static_cast<int>(k) + 1].at, t);
            for (size_t row = 0; row < e.batch; ++row)
                for (size_t c = 0; c < r.states[k].columns && t < e.length(row); ++c)
                    r.states[k](row, c) = next.spread(row, c);
        }
        array const& output = value(r.values, g.results[0].at, t);
        r.outputs.emplace_back(e.batch, output.columns);
        for (size_t row = 0; row < e.batch; ++row)
            for (size_t c = 0; c < output.columns && t < e.length(row); ++c)
                r.outputs[t](row, c) = output.spread(row, c);
    };
    evaluate(g, e, r.values, 0, g.size(), true, begin, finish);
    return r;
}

/// The gradients with respect to the leaves of g, by node, of a loss whose gradients with respect to outputs
/// and final states are given. `whole` is the differentiated graph, whose first nodes are those of g;
/// `values` are theirs.
inline leaf_values run_backward(graph_view g, graph_view whole, extents const& e, std::vector<history> values,
                                history const& outputs, std::vector<array> const& states) {
    values.resize(at(whole.size()));
    leaf_values gradients(at(g.size()));
    std::vector<int> node_of_gradient(at(g.size()), -1), leaf_of_state,
        cotangent_of_result(at(g.results.size()), -1);
    for (sluice::definition const& d : whole.results)
        if (d.kind == sluice::role::gradient)
            node_of_gradient[at(d.of)] = d.at;
    for (int i = g.size(); i < whole.size(); ++i)
        if (whole[i].kind == op::cotangent)
            cotangent_of_result[at(whole[i].index)] = i;
    for (int k = 1; k < g.results.size(); ++k)
        leaf_of_state.push_back(leaf_of(g, op::state, g.results[k].called));

    auto const copy_row = [](array const& from, array& to, size_t row) {
        for (size_t c = 0; c < to.columns; ++c)
            to(row, c) = from.spread(row, c);
    };
    // Of the state after the step that runs: a row gets the gradient of its final state just before its last
    // step.
    std::vector<array> carried;
    for (array const& s : states)
        carried.emplace_back(s.rows, s.columns);
    // A leaf without a gradient takes no part.
    auto const gradient = [&](int leaf, size_t t) {
        int const from = node_of_gradient[at(leaf)];
        array all = empty_array(g, leaf, e);
        for (size_t r = 0; r < all.rows && from >= 0; ++r)
            for (size_t c = 0; c < all.columns; ++c)
                all(r, c) = value(values, from, t).spread(r, c);
        return all;
    };
    auto const begin = [&](size_t t) {
        for (size_t k = 0; k < states.size(); ++k)
            for (size_t row = 0; row < e.batch; ++row)
                if (t + 1 == e.length(row))
                    copy_row(states[k], carried[k], row);
        for (size_t r = 0; r < cotangent_of_result.size(); ++r)
            if (int const i = cotangent_of_result[r]; i >= 0) {
                array const& from = r == 0 ? outputs[t] : carried[r - 1];
                for (size_t row = 0; row < e.batch; ++row)
                    if (t < e.length(row))
                        copy_row(from, values[at(i)].at(t), row);
            }
    };
    auto const finish = [&](size_t t) {
        for (size_t k = 0; k < states.size(); ++k)
            if (int const leaf = leaf_of_state[k]; leaf >= 0)
                for (size_t row = 0; row < e.batch; ++row)
                    if (t < e.length(row))
                        copy_row(gradient(leaf, t), carried[k], row);
    };
    evaluate(whole, e, values, g.size(), whole.size(), false, begin, finish);

    for (size_t k = 0; k < states.size(); ++k)
        for (size_t row = 0; row < e.batch && leaf_of_state[k] >= 0; ++row)
            if (e.length(row) == 0)
                copy_row(states[k], carried[k], row);
    for (int i = 0; i < g.size(); ++i)
        if (g[i].kind == op::input)
            for (size_t t = 0; t < e.steps; ++t) {
                gradients[at(i)].push_back(empty_array(g, i, e));
                for (size_t row = 0; row < e.batch; ++row)
                    if (t < e.length(row))
                        copy_row(gradient(i, t), gradients[at(i)][t], row);
            }
        else if (g[i].kind == op::parameter)
            gradients[at(i)] = {gradient(i, 0)};
    for (size_t k = 0; k < states.size(); ++k)
        if (leaf_of_state[k] >= 0)
            gradients[at(leaf_of_state[k])] = {carried[k]};
    return gradients;
}

} // namespace random_cells
