// SPDX-License-Identifier: BSL-1.0
// buffers: memory for values that are read outside of the block that computes them.
//
//   concat      one buffer, into which blocks write the parts; one that is a part of a longer one lies in it
//   slice       a strided view of what it is a slice of
//   carried     the leaf is the result of the step before: the same buffer, one slot earlier, and no copy
//   overwrite   a tape that the loop writes lies where a hoisted product was read for the last time: the
//               gates r, u and n of the GRU lie over x W_r, x W_u and x W_n
//   accumulate  the summands of a sum that a product is added up to lie in its place, one after the other
//   tape        what another phase or a later sweep reads, and all outside the loop, is there for all steps
//
// The GRU that keeps a tape, T steps of B rows:
//
//   1  [T, B, 3 units]    x W_r, x W_u, x W_n of the hoisted product, a tape; over each of them r, u, n, by
//                         the block of each step that reads it last
//   2  [B, 2 units]       h R_r, h R_u, of one step: nothing reads them later
//   3  [T, B, units]      v1 = r . h, a tape: the backward sweep multiplies with it
//   4  [B, units]         v1 R_n, of one step
//   5  [T + 1, B, units]  h: slot 0 is where it starts, step t reads slot t and writes slot t + 1
#pragma once

#include <sluice/plan/replay.hpp>

namespace sluice {

struct buffer_map {
    list<buffer> buffers{};
    replay_map replay{};            ///< what is computed again
    list<list<placement>> places{}; ///< of each node; it is read from the first
    list<int> saved{};              ///< nodes of earlier sweeps that this one reads
    basic_widths<list> widths{};    ///< those of the graph, and sums of them that places need
};

namespace detail {

struct buffer_finder {
    sweep const& s;
    phase_map const& m;
    list<bool> const& recomputed;
    accumulation_map const& sums;
    block_map const& blocks;
    read_map const& reads;
    graph_view g;
    static constexpr int unused = -2;
    list<int> task_of_node{};
    list<bool> in_memory{}, has_reduction{}; ///< of each node; of each block
    replay_map replay{};
    buffer_map result{};

    constexpr buffer_finder(sweep const& of, phase_map const& phases, list<bool> const& rematerialized,
                            accumulation_map const& accumulated, read_map const& of_nodes,
                            block_map const& with)
        : s(of), m(phases), recomputed(rematerialized), sums(accumulated), blocks(with), reads(of_nodes),
          g(of.g) {
        in_memory.resize(g.size()), result.places.resize(g.size());
        result.widths.widths = g.widths;
        result.widths.parts = g.parts;
    }

    constexpr bool is_computed(int i) const { return m.live[i] && !is_source(s, i) && !recomputed[i]; }
    constexpr bool is_alias(int i) const { return g[i].kind == op::slice || g[i].kind == op::concat; }

    /// Every read: f(reader, value, whether it is from outside the block of the value).
    template <class F>
    constexpr void for_all_reads(F const& f) const {
        for (int i : m.order)
            for (int o : reads[i])
                f(i, o, blocks.block_of[i] < 0 || blocks.block_of[i] != blocks.block_of[o]);
    }

    /// The outer products of earlier sweeps of which wanted matrices are made.
    template <class Save>
    constexpr void save_matrices(Save const& save) const {
        list<int> work;
        for (wanted_value const& w : s.wanted)
            if (g.is_matrix(w.node))
                work.push_back(w.node);
        for (int done = 0; done < work.size(); ++done)
            if (g[work[done]].kind == op::outer)
                save(work[done]);
            else
                for (int o : g.operands_of(work[done]))
                    if (g.is_matrix(o) && !work.contains(o))
                        work.push_back(o);
    }

    constexpr void find_in_memory() {
        list<bool> seen(g.size());
        auto const save = [&](int i) {
            bool const is_given = is_leaf(g[i].kind) && !g.is_carried(i);
            bool const is_made = g.is_matrix(i) && g[i].kind != op::outer; // of others, outside all sweeps
            if (!seen[i] && i < s.start && !recomputed[i] && !is_given && !is_made) {
                seen[i] = true;
                result.saved.push_back(i);
            }
        };
        for_all_reads([&](int, int o, bool outside) {
            save(o);
            if (outside && is_computed(o))
                in_memory[o] = true;
        });
        for (int i : m.order)
            if ((is_product_like(g[i]) || is_row_function(g[i].kind) || g[i].kind == op::fold ||
                 sums.is_sum(i)) &&
                is_computed(i))
                in_memory[i] = true;
        save_matrices(save);
        for (wanted_value const& w : s.wanted) {
            save(w.node);
            if (is_computed(w.node))
                in_memory[w.node] = true;
        }
        for (carried_pair const& pair : s.carried)
            if (m.live[pair.leaf] && is_computed(pair.result))
                in_memory[pair.result] = true;
    }

    constexpr int new_buffer(int i) {
        axes const& shape = g[i].shape;
        return result.buffers.push_back(
            {.columns = shape.columns, .row = shape.row, .tape = shape.time && m.when[i] != phase::loop});
    }

    /// A whole concat: in a longer one that has its parts one after the other, or in a buffer of its own.
    constexpr void place_concat(int i, list<int>& done) {
        view<int> const parts = g.operands_of(i);
        for (int longer : done) {
            view<int> const there = g.operands_of(longer);
            for (int from = 0; from + parts.size() <= there.size(); ++from) {
                bool same = g[longer].groups == g[i].groups && g[longer].shape.row == g[i].shape.row;
                for (int k = 0; same && k < parts.size(); ++k)
                    same = there[from + k] == parts[k];
                if (!same)
                    continue;
                list<int> before;
                for (int k = 0; k < from; ++k)
                    before.push_back(g[there[k]].shape.columns);
                placement const whole = result.places[longer][0];
                result.places[i].push_back({whole.buffer, sum_of_widths(result.widths, before), g[i].groups});
                return;
            }
        }
        int const at = new_buffer(i);
        list<int> before;
        for (int part : parts) {
            result.places[part].push_back({at, sum_of_widths(result.widths, before), g[i].groups});
            before.push_back(g[part].shape.columns);
        }
        result.places[i].push_back({.buffer = at});
        done.push_back(i);
    }

    constexpr void place() {
        list<int> concats, done;
        for (int i : m.order)
            if (g[i].kind == op::concat && !g.is_matrix(i) && is_computed(i))
                concats.push_back(i);
        sort(concats, [&](int a, int b) { return g[a].count > g[b].count; }); // the longest first
        for (int i : concats)
            place_concat(i, done);
        for (int i : m.order)
            if (in_memory[i] && !is_alias(i) && !g.is_matrix(i) && !sums.is_summand(i) &&
                result.places[i].empty())
                result.places[i].push_back({.buffer = new_buffer(i)});
        for (int i :
             m.order) // operands before their slices, results before the leaves that are delays of them
            if (g[i].kind == op::slice && !g.is_matrix(i) && !is_source(s, i))
                place_slice(i);
        for (carried_pair const& pair : s.carried)
            place_leaf(pair);
        for (int i : m.order)
            if (g[i].kind == op::slice && !g.is_matrix(i) && !is_source(s, i) && result.places[i].empty())
                place_slice(i);
    }

    /// A slice of what has no place, such as an input, is read where that lies.
    constexpr void place_slice(int i) {
        int const of = g.operand(i);
        if (result.places[of].empty())
            return;
        placement p = result.places[of][0];
        p.offset = sum_of_widths(result.widths, {p.offset, g[i].from});
        p.groups = g[i].groups == no_axis ? p.groups : g[i].groups;
        result.places[i].push_back(p);
    }

    constexpr void place_leaf(carried_pair const& pair) {
        if (!m.live[pair.leaf] || result.places[pair.result].empty())
            return;
        placement p = result.places[pair.result][0];
        ++p.delay;
        buffer& b = result.buffers[p.buffer];
        b.delay = p.delay > b.delay ? p.delay : b.delay;
        result.places[pair.leaf].push_back(p);
    }

    /// Sums before their summands, which may be sums too.
    constexpr void place_summands() {
        for (int k = m.order.size() - 1; k >= 0; --k)
            if (int const i = m.order[k]; sums.is_summand(i))
                result.places[i] = {result.places[sums.sum_of[i]][0]};
    }

    /// What is read in another phase than it is written, or wanted of all time steps, is kept of all of them.
    constexpr void find_tapes() {
        auto const keep = [&](int i) {
            for (placement const& p : result.places[i])
                result.buffers[p.buffer].tape = result.buffers[p.buffer].tape || g[i].shape.time;
        };
        for_all_reads([&](int i, int o, bool) {
            bool const carried = m.recurrent[o];
            phase const written = carried ? phase::loop : m.when[o];
            bool const here = carried || m.delay_of[o] >= 0 || !is_source(s, o);
            if (here && (m.when[i] != phase::loop || written != phase::loop))
                keep(o);
            if (m.delay_of[i] >= 0 && m.when[i] != phase::loop)
                keep(i);
        });
        replay = find_replay(s, m, sums, reads, blocks);
        for (wanted_value const& w : s.wanted)
            if (w.how == wanted_value::extent::history ||
                (w.how == wanted_value::extent::parts && replay.is_none()))
                keep(w.node);
        for (int i = 0; i < g.size(); ++i)
            if (replay.keeps(i))
                keep(i);
            else if (replay.computes(i))
                for (placement const& p : result.places[i])
                    result.buffers[p.buffer].replayed = true;
    }

    constexpr void find_tasks() {
        task_of_node.resize(g.size(), -1);
        list<int> task_of_block(blocks.blocks.size(), -1);
        for (int t = 0; t < blocks.tasks.size(); ++t)
            if (blocks.tasks[t].kind == task_kind::block)
                task_of_block[blocks.tasks[t].block] = t;
            else
                task_of_node[blocks.tasks[t].node] = t;
        for (int i : m.order)
            if (blocks.block_of[i] >= 0)
                task_of_node[i] = task_of_block[blocks.block_of[i]];
    }

    /// Whether tape i, of a loop block, may be written at the place of a hoisted value that is read for the
    /// last time in task `last`.
    constexpr bool may_overwrite(int i, int hoisted, int last) const {
        int const mine = task_of_node[i];
        bool const same_block = mine == last && blocks.tasks[mine].kind == task_kind::block;
        // Element by element what is read is read before it is written, unless a second pass reads it again.
        bool const one_pass = same_block && !has_reduction[blocks.tasks[mine].block];
        return g[i].shape == g[hoisted].shape && last >= 0 && (last < mine || one_pass);
    }

    constexpr void overwrite() {
        list<bool> fixed(g.size()); // wanted
        list<int> last(g.size(), -1);
        auto const base = [&](int i) {
            while (g[i].kind == op::slice && i >= s.start)
                i = g.operand(i);
            return i;
        };
        for_all_reads(
            [&](int i, int o, bool) { last[o] = task_of_node[i] > last[o] ? task_of_node[i] : last[o]; });
        for (wanted_value const& w : s.wanted)
            fixed[w.node] = true;
        list<bool> sliced(g.size());
        for (int i : m.order) {
            fixed[i] = fixed[i] || replay.keeps(i); // it is read again
            if (g[i].kind == op::slice)
                sliced[g.operand(i)] = true;
        }
        has_reduction.resize(blocks.blocks.size());
        list<int> free; // hoisted products, and slices of them
        for (int i : m.order) {
            int const block = blocks.block_of[i];
            if (block >= 0 && (waits_for_row(g[i].kind) || g[i].kind == op::fold))
                has_reduction[block] = true;
            bool const whole = g[i].kind == op::product && !sliced[i];
            bool const part = g[i].kind == op::slice && g.operand(i) == base(i) && !sliced[i] &&
                              g[base(i)].kind == op::product && // of a fused one: its slices do not overlap
                              g[g.operand(base(i), 1)].kind == op::concat;
            if ((whole || part) && !g.is_matrix(i) && !fixed[i] && !fixed[base(i)] && is_computed(base(i)) &&
                m.when[base(i)] == phase::before && !result.places[i].empty())
                free.push_back(i);
        }
        list<int> values(result.buffers.size()); // that lie in each buffer
        for (list<placement> const& places : result.places)
            for (placement const& p : places)
                ++values[p.buffer];
        for (int i : m.order) {
            int first = i; // to be written where i lies
            while (sums.is_sum(first))
                first = other_summand(g, first, sums.product_of[first]);
            if (blocks.block_of[first] < 0 || result.places[i].size() != 1)
                continue;
            placement& own = result.places[i][0];
            buffer& b = result.buffers[own.buffer];
            if (!b.tape || values[own.buffer] > 1 || own.offset != -1 || g[i].shape.columns != b.columns ||
                own.groups != no_axis)
                continue;
            for (int& slice : free)
                if (slice >= 0 && may_overwrite(first, slice, last[slice])) {
                    b.slot = unused;
                    own = result.places[slice][0];
                    slice = -1;
                    break;
                }
        }
        drop_unused();
    }

    /// Takes out the buffers that nothing lies in any more.
    constexpr void drop_unused() {
        list<int> place_now(result.buffers.size(), -1);
        list<buffer> kept;
        for (int k = 0; k < result.buffers.size(); ++k)
            if (result.buffers[k].slot != unused)
                place_now[k] = kept.push_back(result.buffers[k]);
        result.buffers = kept;
        for (list<placement>& places : result.places)
            for (placement& p : places)
                p.buffer = place_now[p.buffer];
    }

    /// From the task that writes a buffer first to the one that reads it last.
    constexpr void find_lives() {
        for (buffer& b : result.buffers)
            b.first = blocks.tasks.size(), b.last = -1;
        auto const touch = [&](int i, int t) {
            if (t < 0)
                return;
            for (placement const& p : result.places[i]) {
                buffer& b = result.buffers[p.buffer];
                b.first = t < b.first ? t : b.first;
                b.last = t > b.last ? t : b.last;
            }
        };
        for (int i : m.order)
            touch(i, task_of_node[i]);
        for_all_reads([&](int i, int o, bool) { touch(o, task_of_node[i]); });
        for (wanted_value const& w : s.wanted) // read by the caller
            touch(w.node, blocks.tasks.size());
        for (carried_pair const& pair : s.carried)
            touch(pair.leaf, blocks.tasks.size()), touch(pair.leaf, 0);
        for (task const& t : blocks.tasks) // what a loop adds to in each of its steps
            if (t.is_summed_stepwise())
                touch(t.node, blocks.tasks.size()), touch(t.node, 0);
    }

    /// Buffers of one time step share memory where one is no more read when the other is first written. A
    /// carried one is read from the first task to the last.
    constexpr void share() {
        list<int> owner; // of each slot, the last buffer in it
        for (int k = 0; k < result.buffers.size(); ++k)
            result.buffers[k].slot = -1;
        list<int> by_first;
        for (int t = 0; t <= blocks.tasks.size(); ++t)
            for (int k = 0; k < result.buffers.size(); ++k)
                if (result.buffers[k].first == t)
                    by_first.push_back(k);
        for (int k : by_first) {
            buffer& b = result.buffers[k];
            for (int slot = 0; slot < owner.size() && b.slot < 0; ++slot) {
                buffer const& before = result.buffers[owner[slot]];
                if (!b.tape && !before.tape && before.columns == b.columns && before.row == b.row &&
                    before.last < b.first) {
                    b.slot = slot;
                    owner[slot] = k;
                }
            }
            if (b.slot < 0)
                b.slot = owner.push_back(k);
        }
    }

    constexpr void run() {
        find_in_memory();
        place();
        find_tapes();
        find_tasks();
        overwrite();
        place_summands();
        find_lives();
        share();
        result.replay = std::move(replay);
    }
};

} // namespace detail

constexpr buffer_map find_buffers(sweep const& s, phase_map const& m, list<bool> const& rematerialized,
                                  accumulation_map const& sums, read_map const& reads,
                                  block_map const& blocks) {
    detail::buffer_finder finder(s, m, rematerialized, sums, reads, blocks);
    finder.run();
    return std::move(finder.result);
}

} // namespace sluice
