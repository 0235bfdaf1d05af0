// SPDX-License-Identifier: BSL-1.0
// in place: which states of a loop are written where they are read. A state has two places that steps use in
// turn, because some task may read the old one after the new one is written. Where the block that writes the
// new one is the last that reads the old one, and does so element by element, one place is enough: half of
// the memory that a step goes through. Of a gated delta rule
//
//   v = (k . a) S                  reads S
//   S' = a S + k u^T,  y = q S'    reads each element of S, and writes the element of S' there
//
// It is so for matrix values: their states are what does not fit into the nearest cache. A row that has ended
// keeps its old state, so that a run with lengths has two places; so have kernels that are not of the host,
// where threads read elements that others compute.
#pragma once

#include <sluice/plan/block_walk.hpp>

namespace sluice {
namespace detail {

struct in_place_finder {
    plan_view p;
    graph_view g;

    constexpr placement place_of(int node) const { return sluice::place_of(p, g, node); }
    constexpr bool is_old(int node, int buffer) const {
        placement const at = place_of(node);
        return at.buffer == buffer && at.delay == 1;
    }
    /// Whether a task reads the old values of a buffer.
    constexpr bool reads_old(int t, int buffer) const {
        bool found = false;
        if (p.tasks[t].kind == task_kind::block)
            for (block_load const& load : block_walk(p, p.tasks[t].block).loads)
                found = found || is_old(load.node, buffer);
        else
            for (int const o : g.operands_of(p.tasks[t].node))
                found = found || (!g.is_matrix(o) && is_old(o, buffer));
        return found;
    }
    /// Whether a block reads the old values and writes the new ones element by element, all of them.
    constexpr bool writes_over(int t, int buffer) const {
        if (p.tasks[t].kind != task_kind::block || p.tasks[t].when != phase::loop)
            return false;
        block_walk const walk(p, p.tasks[t].block);
        bool all = walk.has_standing() && !walk.waits_for_row();
        placement const old{.buffer = buffer, .delay = 1}, fresh{.buffer = buffer};
        int stores = 0;
        for (block_load const& load : walk.loads)
            if (place_of(load.node).buffer == buffer)
                all = all && !load.per_row && load.how == lies::as_wide && p.places_of[load.node].count > 0 &&
                      place_of(load.node) == old;
        for (block_store const& store : walk.stores)
            if (store.to.buffer == buffer) {
                all = all && !store.per_row && store.how == lies::as_wide && store.to == fresh;
                ++stores;
            }
        return all && stores == 1;
    }
    /// Odd steps change the order of products that follow each other, and no product passes a block.
    constexpr bool is_in_place(int buffer) const {
        sluice::buffer const& b = p.buffers[buffer];
        if (b.tape || !b.row || b.delay != 1)
            return false;
        int writer = -1;
        bool fits = true;
        for (int t = 0; t < p.tasks.size(); ++t) {
            fits = fits && (writer < 0 || !reads_old(t, buffer));
            if (!writes(p, p.tasks[t], buffer))
                continue;
            fits = fits && writer < 0 && writes_over(t, buffer);
            writer = t;
        }
        return fits && writer >= 0;
    }
};

} // namespace detail

/// Whether each buffer of a plan is written where it is read.
constexpr list<bool> find_in_place(plan_view const& p, graph_view g) {
    detail::in_place_finder const finder{p, g};
    list<bool> found;
    for (int b = 0; b < p.buffers.size(); ++b)
        found.push_back(finder.is_in_place(b));
    return found;
}

} // namespace sluice
