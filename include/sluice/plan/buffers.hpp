// SPDX-License-Identifier: BSL-1.0
// buffers: where the values lie that somebody else than their own block reads.
//
//   concat      one buffer, into which blocks write the parts; a concat that is a part of a longer one lies in it
//   slice       a strided view of what it is a slice of
//   carried     the leaf is the result of the step before: the same buffer, one time slot earlier. No state is copied
//               in any loop
//   tape        what another phase or a later sweep reads, and all outside the loop, is there for all time steps
#pragma once

#include <sluice/plan/blocks.hpp>

namespace sluice {

struct buffer_map {
    list<buffer> buffers{};
    list<list<placement>> places{}; ///< of each node; it is read from the first
    list<int> saved{};              ///< nodes of earlier sweeps that this one reads
};

namespace detail {

struct buffer_finder {
    sweep const& s;
    phase_map const& m;
    list<bool> const& anew;
    block_map const& blocks;
    block_finder const reader; ///< for what is read where
    basic_widths<list>& widths; ///< the plan's, in which sums of widths may be new
    graph_view g;
    list<bool> in_memory{};
    buffer_map result{};

    constexpr buffer_finder(basic_widths<list>& all, sweep const& of, phase_map const& phases,
                            list<bool> const& rematerialized, block_map const& with)
        : s(of), m(phases), anew(rematerialized), blocks(with), reader(of, phases, rematerialized),
          widths(all), g(of.g) {
        in_memory.resize(g.size());
        result.places.resize(g.size());
    }

    constexpr bool is_computed(int i) const { return m.live[i] && !is_source(s, i) && !anew[i]; }
    constexpr bool is_alias(int i) const { return g[i].kind == op::slice || g[i].kind == op::concat; }

    /// Every read: f(reader, value, whether it is from outside the block of the value).
    template <class F>
    constexpr void for_all_reads(F const& f) const {
        for (int i : m.order) {
            if (anew[i] || (g.is_matrix(i) && g[i].kind != op::outer))
                continue;
            reader.for_reads(i, [&](int o) {
                f(i, o, blocks.block_of[i] < 0 || blocks.block_of[i] != blocks.block_of[o]);
            });
        }
    }

    constexpr void find_in_memory() {
        list<bool> seen(g.size());
        auto const save = [&](int i) {
            if (!seen[i] && i < s.start && !anew[i] && g[i].kind != op::parameter && g[i].kind != op::setting &&
                g[i].kind != op::number && g[i].kind != op::input && g[i].kind != op::zero &&
                g[i].kind != op::cotangent && !g.is_matrix(i)) {
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
            if (is_product_like(g[i].kind) && is_computed(i))
                in_memory[i] = true;
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
        return result.buffers.push_back({.columns = shape.columns,
                                         .row = shape.row,
                                         .tape = shape.time && m.when[i] != phase::loop});
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
                result.places[i].push_back({whole.buffer, sum_of_widths(widths, before), g[i].groups});
                return;
            }
        }
        int const at = new_buffer(i);
        list<int> before;
        for (int part : parts) {
            result.places[part].push_back({at, sum_of_widths(widths, before), g[i].groups});
            before.push_back(g[part].shape.columns);
        }
        result.places[i].push_back({.buffer = at});
        done.push_back(i);
    }

    constexpr void place() {
        list<int> concats;
        int longest = 0;
        for (int i : m.order)
            if (g[i].kind == op::concat && !g.is_matrix(i) && is_computed(i)) {
                concats.push_back(i);
                longest = g[i].count > longest ? g[i].count : longest;
            }
        list<int> done;
        for (int count = longest; count > 0; --count)
            for (int i : concats)
                if (g[i].count == count)
                    place_concat(i, done);
        for (int i : m.order)
            if (in_memory[i] && !is_alias(i) && !g.is_matrix(i) && result.places[i].empty())
                result.places[i].push_back({.buffer = new_buffer(i)});
        for (int i : m.order) // operands before their slices, results before the leaves that are delays of them
            if (g[i].kind == op::slice && !g.is_matrix(i) && !is_source(s, i))
                place_slice(i);
        for (carried_pair const& pair : s.carried)
            place_leaf(pair);
        for (int i : m.order)
            if (g[i].kind == op::slice && !g.is_matrix(i) && !is_source(s, i) && result.places[i].empty())
                place_slice(i);
    }

    /// A slice of what has no place, such as an input, has none either: it is read where that lies.
    constexpr void place_slice(int i) {
        int const of = g.operand(i);
        if (result.places[of].empty())
            return;
        placement p = result.places[of][0];
        p.offset = sum_of_widths(widths, {p.offset, g[i].from});
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

    /// What is read in another phase than it is written, or wanted for all time steps, is kept for all of them.
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
        for (wanted_value const& w : s.wanted)
            if (w.how == wanted_value::extent::history)
                keep(w.node);
    }

    /// From the task that writes a buffer first to the one that reads it last.
    constexpr void find_lives() {
        list<int> task_of_node(g.size(), -1), task_of_block(blocks.blocks.size(), -1);
        for (int t = 0; t < blocks.tasks.size(); ++t)
            if (blocks.tasks[t].kind == task_kind::block)
                task_of_block[blocks.tasks[t].block] = t;
            else
                task_of_node[blocks.tasks[t].node] = t;
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
        auto const task_of = [&](int i) {
            return blocks.block_of[i] >= 0 ? task_of_block[blocks.block_of[i]] : task_of_node[i];
        };
        for (int i : m.order)
            touch(i, task_of(i));
        for_all_reads([&](int i, int o, bool) { touch(o, task_of(i)); });
        for (wanted_value const& w : s.wanted) // read by whoever wants it
            touch(w.node, blocks.tasks.size());
        for (carried_pair const& pair : s.carried)
            touch(pair.leaf, blocks.tasks.size()), touch(pair.leaf, 0);
    }

    /// Buffers of one time step share memory where one is no more read when the other is first written.
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
                if (!b.tape && !before.tape && b.delay == 0 && before.delay == 0 && before.columns == b.columns &&
                    before.row == b.row && before.last < b.first) {
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
        find_lives();
        share();
    }
};

} // namespace detail

/// `widths` are those of the graph, to which sums may be added.
constexpr buffer_map find_buffers(basic_widths<list>& widths, sweep const& s, phase_map const& m,
                                  list<bool> const& rematerialized, block_map const& blocks) {
    detail::buffer_finder finder(widths, s, m, rematerialized, blocks);
    finder.run();
    return finder.result;
}

} // namespace sluice
