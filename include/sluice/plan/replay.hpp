// SPDX-License-Identifier: BSL-1.0
// replay: how the gradient of a cell with matrix states runs in bounded memory. The states of all steps
// would be most of what a run to learn keeps. Of those that the backward sweep reads in its loop, and nowhere
// else, the forward sweep keeps one in so many steps; the backward sweep computes the steps between again, a
// part of the sequence at a time, from its end:
//
//   forward    S_0 . . . S_4 . . . S_8 . .        a mark every 4 steps
//   backward                       S_8 S_9 S_10   from the mark: step 10, 9, 8
//                        S_4 S_5 S_6 S_7          then 7, 6, 5, 4, and so on
//
// What computes them again is the blocks of the forward plan that write them, and its products of matrix
// values. Vectors that these read are kept for all steps, as those are that the backward sweep reads: of the
// gated delta rule the second of its two passes over S is run again, S' = a S + k u^T, and u is kept.
#pragma once

#include <sluice/plan/blocks.hpp>

namespace sluice {

struct replay_map {
    list<bool>
        values{}; ///< nodes that are computed again and not kept: matrix values, and the leaves they carry
    list<bool> blocks{}; ///< that are run again
    list<bool> kept{};   ///< nodes that those blocks read, of all steps

    constexpr bool is_none() const { return values.empty(); }
    constexpr bool computes(int i) const { return !is_none() && values[i]; }
    /// Whether a task is run again.
    constexpr bool runs(task const& t) const {
        return !is_none() && (t.kind == task_kind::block ? blocks[t.block]
                                                         : t.kind == task_kind::product && values[t.node]);
    }
    constexpr bool keeps(int i) const { return !is_none() && kept[i]; }
};

namespace detail {

struct replay_finder {
    sweep const& s;
    phase_map const& m;
    accumulation_map const& sums;
    read_map const& reads;
    block_map const& blocks;
    graph_view g;
    replay_map found{};
    list<int> work{};

    constexpr replay_finder(sweep const& of, phase_map const& phases, accumulation_map const& accumulated,
                            read_map const& of_nodes, block_map const& with)
        : s(of), m(phases), sums(accumulated), reads(of_nodes), blocks(with), g(of.g) {}

    constexpr int result_of(int i) const {
        for (carried_pair const& pair : s.carried)
            if (pair.leaf == i)
                return pair.result;
        return i;
    }
    constexpr bool is_wanted(int i, wanted_value::extent how) const {
        for (wanted_value const& w : s.wanted)
            if (w.node == i && w.how == how)
                return true;
        return false;
    }
    constexpr void add(int i) {
        if (!found.values[i])
            work.push_back(i);
        found.values[i] = true;
    }
    /// What a block that is run again reads; false: it cannot be run again.
    constexpr bool add_read(int o) {
        bool const is_here = !is_source(s, o) || (g.is_carried(o) && m.live[o]);
        if (!is_here || g[o].kind == op::number)
            return true;
        if (g.is_matrix_value(o) && (m.recurrent[o] || m.when[o] == phase::loop))
            add(o);
        else
            found.kept[o] = true;
        return !sums.is_summand(o);
    }
    /// A product of matrix values of the loop, with no sum in its place.
    constexpr bool is_product_again(int i) const {
        return g[i].kind == op::product && !is_source(s, i) && m.when[i] == phase::loop &&
               !sums.is_summand(i) && !is_wanted(i, wanted_value::extent::history);
    }
    /// Whether what computes matrix value i can be run again, with all that it reads.
    constexpr bool add_block_of(int i) {
        int const made = result_of(i), b = blocks.block_of[made];
        bool const is_read_itself = made != i && is_wanted(made, wanted_value::extent::parts);
        if (is_product_again(made) && !is_read_itself) {
            found.values[made] = true;
            return add_read(g.operand(made));
        }
        if (b < 0 || blocks.blocks[b].when != phase::loop || is_read_itself || // a row may restart after it
            is_wanted(made, wanted_value::extent::history) || is_wanted(i, wanted_value::extent::history))
            return false;
        found.values[made] = true;
        if (found.blocks[b])
            return true;
        found.blocks[b] = true;
        for (int node : m.order)
            if (blocks.block_of[node] == b)
                for (int o : reads[node])
                    if (!add_read(o))
                        return false;
        return true;
    }
    /// Vectors that such blocks compute themselves are there in their step only.
    constexpr bool are_kept() {
        for (int i = 0; i < g.size(); ++i)
            if (int const b = blocks.block_of[result_of(i)]; found.kept[i] && b >= 0 && found.blocks[b]) {
                if (g.is_carried(i))
                    return false;
                found.kept[i] = false;
            }
        return true;
    }

    constexpr void run() {
        found.values.resize(g.size());
        found.kept.resize(g.size());
        found.blocks.resize(blocks.blocks.size());
        for (wanted_value const& w : s.wanted)
            if (w.how == wanted_value::extent::parts)
                add(w.node);
        bool all = !work.empty();
        for (int done = 0; done < work.size() && all; ++done)
            all = add_block_of(work[done]);
        if (!all || !are_kept()) {
            found.values.clear();
            found.blocks.clear();
            found.kept.clear();
        }
    }
};

} // namespace detail

/// Of the values that are wanted in parts; none where one of them cannot be computed again by itself.
constexpr replay_map find_replay(sweep const& s, phase_map const& m, accumulation_map const& sums,
                                 read_map const& reads, block_map const& blocks) {
    detail::replay_finder finder(s, m, sums, reads, blocks);
    finder.run();
    return std::move(finder.found);
}

} // namespace sluice
