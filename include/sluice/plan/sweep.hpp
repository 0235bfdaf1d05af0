// SPDX-License-Identifier: BSL-1.0
// sweep: a graph as something that runs through time. Forward and backward are two sweeps:
//
//              runs       carries                                  gives
//   forward    t = 0 ..   state <- next(state)                     outputs, final states
//   backward   t = T-1 .. gradient of next(state) <- of state      gradients of inputs, parameters, initial states
#pragma once

#include <sluice/graph/operation.hpp>
#include <sluice/plan/plan.hpp>

namespace sluice {
namespace detail {

/// The leaf of that kind and index (and, for cotangents, order), or -1.
constexpr int find_leaf(graph_view g, op kind, int index, int order = 0) {
    for (int i = 0; i < g.size(); ++i)
        if (g[i].kind == kind && g[i].index == index && g[i].order == order)
            return i;
    return -1;
}

/// A node that a sweep can carry: computed by a block or a product of its own, for one state only.
constexpr bool can_be_carried(graph_view g, int start, int i, list<int> const& taken) {
    return i >= start && (is_in_blocks(g[i].kind) || g[i].kind == op::product) && !taken.contains(i);
}

/// A copy of node i, which has these axes; copies with different marks are different nodes.
constexpr int copy_of(graph& g, int i, axes shape, int mark = 0) {
    return g.add({.kind = op::pointwise, .shape = shape, .function = f_copy, .order = mark}, {i});
}

} // namespace detail

/// Copies the next states that cannot be carried as they are: an input, a state, a part of something, or the next
/// value of two states at once.
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
    for (definition const& d : g.results) {
        if (d.kind == role::next) {
            int const leaf = detail::find_leaf(g, op::state, d.called);
            if (leaf >= 0)
                s.carried.push_back({leaf, d.at});
            s.wanted.push_back({d.at, wanted_value::extent::last});
        } else
            s.wanted.push_back({d.at, wanted_value::extent::history});
    }
    return s;
}

/// The gradient of a forward sweep through time; the first `given` nodes are the forward graph. The gradient of input
/// number k has bit k + 1 of `served`.
constexpr sweep backward_sweep(graph_view g, int given) {
    sweep s;
    s.g = g;
    s.start = given;
    s.way = direction::backward;
    unsigned bit = 1;
    for (definition const& d : g.results) {
        if (d.kind != role::gradient)
            continue;
        node const& leaf = g[d.of];
        if (leaf.kind == op::input)
            s.wanted.push_back({d.at, wanted_value::extent::history, bit <<= 1});
        else if (leaf.kind == op::parameter)
            s.wanted.push_back({d.at, wanted_value::extent::total});
        else if (leaf.kind == op::state) {
            s.wanted.push_back({d.at, wanted_value::extent::last});
            for (int r = 0; r < g.results.size(); ++r) // the gradient of the next value of the same state
                if (g.results[r].kind == role::next && g.results[r].called == leaf.index)
                    if (int const c = detail::find_leaf(g, op::cotangent, r, 1); c >= 0)
                        s.carried.push_back({c, d.at});
        }
    }
    return s;
}

} // namespace sluice
