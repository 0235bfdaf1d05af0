// SPDX-License-Identifier: BSL-1.0
// sweep: a graph as something that runs through time. Forward and backward are two sweeps, and so are the
// adjoints of both, which give the gradient of a gradient; d2 is that of a value of the first two:
//
//                 runs       carries                            gives
//   F  forward    t = 0 ..   s          <- next(s)              outputs, final states
//   B  backward   t = T-1 .. d(next(s)) <- d(s)                 gradients of inputs, parameters, states
//   B' of B       t = 0 ..   d2(d(s))   <- d2(d(next(s)))       those of what B was given
//   F' of F       t = T-1 .. d2(next(s)) <- d2(s)               those of inputs, parameters, initial states
//
// The adjoint of a sweep runs the other way, and carries to the gradient of a result what it finds for the
// leaf that the result was carried to. Each reads values of all sweeps before it.
#pragma once

#include <sluice/graph/graph.hpp>
#include <sluice/graph/operations.hpp>

namespace sluice {

/// Which way a sweep goes through time.
enum class time_order : unsigned char { forward, backward };

/// A value that the sweep carries from one time step to the next: the leaf is the result of the step before.
struct carried_pair {
    int leaf = -1;
    int result = -1;
    int number = -1; ///< of the result, among those of the graph

    friend constexpr bool operator==(carried_pair const&, carried_pair const&) = default;
};

/// A result that the caller of a sweep requests.
struct wanted_value {
    enum class extent : unsigned char {
        history, ///< the value of every time step
        parts, ///< the same, a part of the sequence at a time (plan/replay.hpp); for all where that cannot be
        last,  ///< the value after the last step: of a carried result
        total, ///< has no time axis: the gradient of a parameter
    };
    int node = -1;
    extent how = extent::history;
    unsigned served = 1; ///< the bit that stands for it in `serves` of tasks
};

/// A graph that runs through time. Nodes before `start` were computed by earlier sweeps.
struct sweep {
    graph_view g{};
    int start = 0;
    time_order way = time_order::forward;
    list<carried_pair> carried{};
    list<wanted_value> wanted{};
};

/// When a value is computed: before the loop over time, in it, or after it.
enum class phase : unsigned char {
    before, ///< depends on nothing that is carried: all time steps at once, before the loop
    loop,   ///< step by step
    after,  ///< nothing that is carried depends on it: all time steps at once, after the loop
};

namespace detail {

/// The leaf of that kind and index (and, for cotangents, order), or -1.
constexpr int find_leaf(graph_view g, op kind, int index, int order = 0) {
    for (int i = 0; i < g.size(); ++i)
        if (g[i].kind == kind && g[i].index == index && g[i].order == order)
            return i;
    return -1;
}

/// The node of the gradient of a leaf, or -1.
constexpr int gradient_of(graph_view g, int leaf) {
    for (definition const& d : g.results)
        if (d.kind == role::gradient && d.of == leaf)
            return d.at;
    return -1;
}

/// The first result of the differentiation that made cotangents of this order, one for each result before.
constexpr int first_result(graph_view g, int order) {
    int first = 0;
    for (int i = 0; i < g.size(); ++i)
        if (g[i].kind == op::cotangent && g[i].order == order && g[i].index >= first)
            first = g[i].index + 1;
    return first;
}

/// A node that a sweep can carry: computed by a block or a product of its own, for one state only.
constexpr bool can_be_carried(graph_view g, int start, int i, list<int> const& taken) {
    return i >= start && (is_in_blocks(g[i]) || g[i].kind == op::product) && !taken.contains(i);
}

/// A copy of node i, which has these axes; copies with different marks are different nodes.
constexpr int copy_of(graph& g, int i, axes shape, int mark = 0) {
    return g.add({.kind = op::pointwise, .shape = shape, .function = f_copy, .order = mark}, {i});
}

} // namespace detail

/// Copies the next states that cannot be carried as they are: an input, a state, a part of something, or the
/// next value of two states at once.
constexpr void copy_what_cannot_be_carried(graph& g) {
    list<int> taken;
    for (int r = 0; r < g.results.size(); ++r) {
        definition& d = g.results[r];
        if (d.kind != role::next)
            continue;
        int const leaf = detail::find_leaf(g.seen(), op::state, d.called);
        if (leaf < 0)
            continue;
        axes const shape = g[leaf].shape;
        if (!detail::can_be_carried(g.seen(), 0, d.at, taken) || g[d.at].shape != shape)
            d.at = detail::copy_of(g, d.at, shape, r);
        taken.push_back(d.at);
    }
}

/// The graph of the equations through time.
constexpr sweep forward_sweep(graph_view g) {
    sweep s;
    s.g = g;
    for (int r = 0; r < g.results.size(); ++r) {
        definition const& d = g.results[r];
        if (d.kind == role::next) {
            int const leaf = detail::find_leaf(g, op::state, d.called);
            if (leaf >= 0)
                s.carried.push_back({leaf, d.at, r});
            s.wanted.push_back({d.at, wanted_value::extent::last});
        } else if (d.kind == role::output)
            s.wanted.push_back({d.at, wanted_value::extent::history});
    }
    return s;
}

/// The adjoint of a sweep whose nodes end before `end`. It begins at node `start` with the cotangents of that
/// order. The gradient of leaf number k that is given over time, such as an input, has bit k + 1 of `served`.
constexpr sweep adjoint_sweep(sweep const& of, int end, int start, int order) {
    graph_view const g = of.g;
    sweep s;
    s.g = g;
    s.start = start;
    s.way = of.way == time_order::forward ? time_order::backward : time_order::forward;
    int const first = detail::first_result(g, order), behind = detail::first_result(g, order + 1);
    int const last = behind > 0 ? behind : g.results.size();
    unsigned bit = 1;
    for (int r = first; r < last; ++r) {
        definition const& d = g.results[r];
        if (d.kind != role::gradient || d.of < of.start || d.of >= end)
            continue;
        if (g.is_carried(d.of)) {
            s.wanted.push_back({d.at, wanted_value::extent::last});
            for (carried_pair const& pair : of.carried)
                if (pair.leaf == d.of)
                    if (int const c = detail::find_leaf(g, op::cotangent, pair.number, order); c >= 0)
                        s.carried.push_back({c, d.at, r});
        } else if (g[d.of].shape.time)
            s.wanted.push_back({d.at, wanted_value::extent::history, bit <<= 1});
        else
            s.wanted.push_back({d.at, wanted_value::extent::total});
    }
    return s;
}

/// The gradient of a forward sweep through time; the first `given` nodes are the forward graph.
constexpr sweep backward_sweep(graph_view g, int given) {
    return adjoint_sweep(forward_sweep(g), given, given, 1);
}

/// The sweeps of a graph that was differentiated any number of times; `differentiate` says where they begin.
constexpr list<sweep> sweeps_of(graph_view g, view<int> starts) {
    list<sweep> all{forward_sweep(g)};
    for (int order = 1; all.size() < starts.size(); ++order)
        for (int of = all.size() - 1; of >= 0; --of)
            all.push_back(adjoint_sweep(all[of], starts[of + 1], starts[all.size()], order));
    return all;
}

} // namespace sluice
