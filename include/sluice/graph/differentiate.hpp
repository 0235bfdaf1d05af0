// SPDX-License-Identifier: BSL-1.0
// differentiate: reverse mode. The result is a graph that holds the given one and, after it, the gradient of
// each leaf that has one; its cotangents are the gradients of the given graph's results. It is a graph like
// any other and can be differentiated again.
//
// y' is the gradient of y. A gradient is summed over the axes that its node lacks (`total` over time and the
// batch, `sum` over features), and is the same in all places of those that it lacks itself.
//
//   y = f(a, b)      a' += y' . f_a(a, b, y)     b' += y' . f_b(a, b, y)      from the table of operations
//   y = reduce f(a)  a' += y' . f'(a, y)
//   y = f in groups  a' += sum in groups of y' . f'(a, y)
//   y = a scan of a  a' += the gradient that the scan says, of a, y and y'
//   y = a M          a' += y' M^T                M' += outer(a, y'), of a matrix value a row by row
//   y = outer(a, b)  a' += b y'^T                b' += a y'
//   y = total(a)     a' += y'
//   y = spread(a)    a' += y', summed
//   y = M^T          M' += y'^T
//   y = repeat(a)    a' += fold(y')              and of a fold a repeat
//   y = [a b]        a' += columns of y'         b' += columns of y'
//   y = columns of a: a' is [.. y' ..], the gradients of all its slices side by side
//
// Through time a graph is a sweep, and a gradient is more of them, one after the other: the adjoint of each
// sweep that was there, of the last one first. Twice differentiated, the equations are
//
//   F  B  B' F'     forward, its adjoint backward; the adjoints of B and of F
//
// and no sweep reads nodes of a later one.
#pragma once

#include <sluice/graph/rule_writer.hpp>

namespace sluice {

/// A graph that the gradients of its leaves follow: `whole.results` has, after the results of the
/// given graph, one of role::gradient for each leaf that can be differentiated.
struct gradient {
    graph whole{};
    int given = 0;      ///< how many nodes, in front, are those of the graph that was differentiated
    list<int> sweeps{}; ///< where each sweep begins
};

/// Whether there is a gradient with respect to a leaf.
constexpr bool is_differentiable_leaf(node const& n) {
    return n.kind == op::input || n.kind == op::state || n.kind == op::cotangent ||
           (n.kind == op::parameter && !n.fixed);
}

namespace detail {

struct differentiator : rule_writer {
    /// The gradient of columns of a node.
    struct part {
        int of = -1;
        int from = -1; ///< width of what lies before it
        int columns = no_axis;
        int groups = no_axis;
        int gradient = -1;
    };
    /// A product that is a part of the gradient of a node. It stands after all else in the sum, so that the
    /// planner can add it to what lies there.
    struct late_summand {
        int to = -1;
        int product = -1;
    };

    int given = 0;
    list<int> gradients{}; ///< given node -> its gradient so far, or -1
    list<part> parts{};
    list<late_summand> late{};
    list<bool> active{}; ///< depends on something that can be differentiated
    list<int> sweeps;    ///< where each begins, of the given graph and then of the gradient
    int start = 0;       ///< where the one that is written begins

    constexpr differentiator(graph_view from, derivative_rules_table const& of_functions,
                             view<int> given_sweeps)
        : rule_writer{{graph(from)}, of_functions}, given(from.size()), sweeps(given_sweeps) {
        gradients.resize(given, -1);
        active.resize(given);
        for (int i = 0; i < given; ++i) {
            active[i] = is_differentiable_leaf(g[i]);
            for (int o : g.operands_of(i))
                active[i] = active[i] || (active[o] && g[i].kind != op::features);
        }
    }

    /// A contribution to the gradient of a node of the shape `of`, summed over the axes that `to` lacks.
    constexpr int fit(int contribution, axes of, axes to) {
        bool const features = of.has_features() && !to.has_features();
        bool const rows = (of.row && !to.row) || (of.time && !to.time);
        if (features && !of.is_matrix()) {
            axes wide = g[contribution].shape;
            wide.columns = of.columns;
            contribution = full(contribution, wide);
            if (width_entry const matrix = g.widths[wide.columns]; matrix.is_product()) { // its rows first
                wide.columns = matrix.rows;
                contribution = g.add({.kind = op::fold,
                                      .shape = wide,
                                      .order = static_cast<int>(equation::stands::as_column),
                                      .groups = matrix.groups},
                                     {contribution});
            }
            wide.columns = no_axis;
            contribution = g.add({.kind = op::reduce, .shape = wide, .function = f_sum}, {contribution});
            of.columns = no_axis;
        }
        if (rows && !of.is_matrix()) {
            axes tall = g[contribution].shape;
            tall.row = of.row;
            tall.time = of.time;
            contribution = full(contribution, tall);
            tall.row = tall.row && to.row;
            tall.time = tall.time && to.time;
            contribution = g.add({.kind = op::total, .shape = tall}, {contribution});
        }
        return contribution;
    }

    /// gradient of `to` += contribution, which belongs to a node of the shape `of`
    constexpr void contribute(int to, int contribution, axes of) {
        if (!active[to] || is_zero(contribution))
            return;
        axes const shape = g[to].shape;
        bool const lacks_axes = (of.row && !shape.row) || (of.time && !shape.time);
        if (g[to].kind == op::repeat && lacks_axes && of.has_features()) { // sums of few numbers first
            axes vector = of;
            vector.columns = g[g.operand(to)].shape.columns;
            contribution = g.add(opposite(to, vector), {full(contribution, of)});
            return contribute(g.operand(to), contribution, vector);
        }
        contribution = fit(contribution, of, shape);
        if (g[contribution].kind == op::product)
            late.push_back({to, contribution});
        else
            add_to_gradient(to, contribution);
    }
    /// Of a repeat the fold that is its gradient, of these axes; of a fold the repeat.
    constexpr node opposite(int i, axes of) const {
        return {.kind = g[i].kind == op::fold ? op::repeat : op::fold,
                .shape = of,
                .order = g[i].order,
                .groups = g[i].groups};
    }
    constexpr void add_to_gradient(int to, int summand) {
        int& sum = gradients[to];
        sum = sum < 0 ? summand : add(sum, summand);
    }
    /// To the gradients of nodes [first, last).
    constexpr void add_late_summands(int first, int last) {
        list<late_summand> others;
        for (late_summand const& p : late)
            if (p.to >= first && p.to < last)
                add_to_gradient(p.to, p.product);
            else
                others.push_back(p);
        late = std::move(others);
    }

    /// The gradient of a node of which slices were taken: their gradients side by side, zeros between them.
    constexpr int assemble(int i) {
        list<part> mine;
        for (part const& p : parts)
            if (p.of == i)
                mine.push_back(p);
        if (mine.empty())
            return -1;
        int sum = -1;
        while (!mine.empty()) // slices may overlap: each round takes a row of those that follow each other
            sum = assemble_row(i, mine, sum);
        return sum;
    }

    constexpr int assemble_row(int i, list<part>& mine, int sum) {
        node const n = g[i];
        list<int> before, columns; // so far, from the left
        list<part> later;
        int const groups = mine[0].groups;
        list<bool> taken(mine.size());
        bool more = true;
        while (more) {
            more = false;
            for (int k = 0; k < mine.size() && !more; ++k)
                if (!taken[k] && mine[k].groups == groups && mine[k].from == g.sum_of_widths(before)) {
                    axes shape = n.shape;
                    shape.columns = mine[k].columns;
                    columns.push_back(owned(full(mine[k].gradient, shape)));
                    before.push_back(mine[k].columns);
                    taken[k] = more = true;
                }
            if (!more && difference(n.shape.columns, before) >= 0) {
                fill_gap(n.shape, mine, taken, groups, before, columns);
                more = true;
            }
        }
        for (int k = 0; k < mine.size(); ++k)
            if (!taken[k])
                later.push_back(mine[k]);
        mine = later;
        int whole = columns[0];
        if (columns.size() > 1)
            whole = g.add({.kind = op::concat, .shape = n.shape, .groups = groups}, view<int>(columns));
        return sum < 0 ? whole : add(sum, whole);
    }

    /// Zeros up to a slice that is left and lies after, or to the end.
    constexpr void fill_gap(axes shape, list<part> const& mine, list<bool> const& taken, int groups,
                            list<int>& before, list<int>& columns) {
        int gap = difference(shape.columns, before);
        for (int k = 0; k < mine.size(); ++k)
            if (!taken[k] && mine[k].groups == groups)
                if (int const w = difference(mine[k].from, before); g.is_positive(w))
                    gap = w;
        shape.columns = gap;
        columns.push_back(owned(zero(shape)));
        before.push_back(gap);
    }
    constexpr int difference(int to, list<int> const& before) { return sum_of_widths(g, {to}, before); }

    /// What stands side by side with others is written there by the block that computes it; what no block of
    /// this sweep computes is copied by one.
    constexpr int owned(int i) {
        bool const here = i >= start && is_in_blocks(g[i]);
        return g[i].shape.is_matrix() || here ? i : copy(i, -sweeps.size());
    }

    /// Whether node i has a gradient, when those that read it have made theirs.
    constexpr bool is_complete(int i) {
        if (int const sliced = assemble(i); sliced >= 0)
            contribute(i, sliced, axes(g[i].shape));
        add_late_summands(i, i + 1);
        return gradients[i] >= 0;
    }

    constexpr void pull_back(int i) {
        node const n = g[i];
        int const up = gradients[i];
        list<int> const from(g.operands_of(i));
        list<int> known; // and the value: what a derivative is made of
        for (int o : from)
            known.push_back(o);
        known.push_back(i);
        list<axes> shapes; // of the operands: nodes move when the graph grows
        for (int o : from)
            shapes.push_back(g[o].shape);
        switch (n.kind) {
        case op::pointwise:
            for (int k = 0; k < from.size(); ++k)
                if (active[from[k]])
                    contribute(from[k], multiply(up, derivative(n.function, k, known)), n.shape);
            break;
        case op::reduce:
            if (active[from[0]])
                contribute(from[0], multiply(up, derivative(n.function, 0, known)), shapes[0]);
            break;
        case op::reduce_groups:
            if (active[from[0]]) {
                int const all = g.add(
                    {.kind = op::reduce_groups, .shape = n.shape, .function = f_sum, .groups = n.groups},
                    {full(up, n.shape)});
                contribute(from[0], multiply(all, derivative(n.function, 0, known, n.groups)), n.shape);
            }
            break;
        case op::scan:
            known.push_back(full(up, n.shape));
            for (int k = 0; k < from.size(); ++k)
                if (active[from[k]])
                    contribute(from[k], derivative(n.function, k, known), n.shape);
            break;
        case op::product:
            if (active[from[0]])
                contribute(from[0], product(full(up, n.shape), transpose(from[1])), shapes[0]);
            if (active[from[1]])
                contribute(from[1], outer(from[0], full(up, n.shape), shapes[1]), shapes[1]);
            break;
        case op::outer:
            if (active[from[0]])
                contribute(from[0], product(from[1], transpose(full(up, n.shape))), shapes[0]);
            if (active[from[1]])
                contribute(from[1], product(from[0], full(up, n.shape)), shapes[1]);
            break;
        case op::total:
            contribute(from[0], up, shapes[0]);
            break;
        case op::spread:
            contribute(from[0], up, n.shape);
            break;
        case op::transpose:
            contribute(from[0], transpose(full(up, n.shape)), n.shape);
            break;
        case op::repeat:
        case op::fold: {
            axes of = n.shape;
            of.columns = shapes[0].columns;
            contribute(from[0], g.add(opposite(i, of), {full(up, n.shape)}), of);
            break;
        }
        case op::slice:
            if (active[from[0]])
                parts.push_back({from[0], n.from, n.shape.columns, n.groups, up});
            break;
        case op::concat: {
            list<int> before;
            for (int k = 0; k < from.size(); ++k) {
                axes member = n.shape; // a vector stands in every row
                member.columns = shapes[k].columns;
                if (active[from[k]])
                    contribute(from[k], slice(full(up, n.shape), g.sum_of_widths(before), member, n.groups),
                               member);
                before.push_back(shapes[k].columns);
            }
            break;
        }
        default:
            break;
        }
    }

    /// The gradients of results that nodes [first, last) compute.
    constexpr void begin(int first, int last, int order) {
        for (int r = 0; r < g.results.size(); ++r) {
            int const at = g.results[r].at;
            if (at < first || at >= last)
                continue;
            axes const shape = g[at].shape;
            contribute(at, g.add({.kind = op::cotangent, .shape = shape, .index = r, .order = order}), shape);
        }
    }
    /// The gradients of leaves [first, last) are results.
    constexpr void finish(int first, int last) {
        list<int> taken;
        for (int i = first; i < last; ++i) {
            if (!is_differentiable_leaf(g[i]))
                continue;
            axes const shape = g[i].shape;
            int at = gradients[i] < 0 ? zero(shape) : full(gradients[i], shape);
            if (g.seen().is_carried(i)) { // the sweep carries it to the step before
                bool const computed = at >= start && (is_in_blocks(g[at]) || g[at].kind == op::product);
                // Where rows of the batch end, the carried value is not that of the others that read it.
                if (!computed || taken.contains(at) || g.operands.contains(at))
                    at = copy(at, sweeps.size() * given + i); // of this sweep and this leaf only
                taken.push_back(at);
            }
            g.results.push_back({.kind = role::gradient, .called = g[i].index, .at = at, .of = i});
        }
    }

    constexpr void run() {
        int order = 1;
        for (int i = 0; i < given; ++i)
            if (g[i].kind == op::cotangent && g[i].order >= order)
                order = g[i].order + 1;
        int last = given;
        for (int k = sweeps.size() - 1; k >= 0; --k) {
            int const first = sweeps[k];
            start = g.size();
            sweeps.push_back(start);
            begin(first, last, order);
            for (int i = last - 1; i >= first; --i)
                if (active[i] && is_complete(i))
                    pull_back(i);
            add_late_summands(0, first); // or a later sweep would read both parts of a sum
            finish(first, last);
            last = first;
        }
    }
};

} // namespace detail

/// The graph of g and of the gradients of its leaves: inputs, states, parameters that are trained,
/// cotangents. `sweeps` says where those of g begin.
constexpr gradient differentiate(graph_view g, derivative_rules_table const& rules, view<int> sweeps) {
    detail::differentiator d(g, rules, sweeps);
    d.run();
    return {std::move(d.g), d.given, std::move(d.sweeps)};
}
/// The same of a graph that is one sweep.
constexpr gradient differentiate(graph_view g, derivative_rules_table const& rules) {
    list<int> const one{0};
    return differentiate(g, rules, view<int>(one));
}
/// The same of a gradient.
constexpr gradient differentiate(gradient const& d, derivative_rules_table const& rules) {
    return differentiate(d.whole.seen(), rules, view<int>(d.sweeps));
}

} // namespace sluice
