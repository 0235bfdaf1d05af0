// SPDX-License-Identifier: BSL-1.0
// blocks: levels, and which pointwise nodes are computed together.
//
// Within a phase, a product stands one level above what it reads, as early as it can. A pointwise node may
// stand anywhere between the lowest level on which its operands are there and the highest on which its
// readers still get it. As few levels as possible get a block, and each node goes into the latest one that it
// may: values then live shortly, and a peephole needs no block of its own. The GRU's loop:
//
//   level 1   product h [R_r R_u]      block  r, u, r . h
//   level 2   product (r . h) R_n      block  n, next(h)
#pragma once

#include <sluice/plan/products.hpp>
#include <sluice/plan/rematerialize.hpp>

namespace sluice {

struct block_map {
    list<int> level{};    ///< of each node in its phase
    list<int> block_of{}; ///< node -> block, or -1
    list<planned_block> blocks{};
    list<task> tasks{}; ///< in their order
};

namespace detail {

/// What a block is made of: rows of one width. Where they are matrix values, functions of a whole row have
/// blocks of their own, in which no vector stands.
struct block_key {
    phase when = phase::before;
    int columns = no_axis;
    bool row = true;
    bool time = true;
    bool waits = false;

    friend constexpr bool operator==(block_key const&, block_key const&) = default;
};

struct block_finder {
    /// Node `from` reads `to`, of its phase, and has to stand so many levels above it.
    struct edge {
        int from = -1;
        int to = -1;
        int distance = 0;
    };
    sweep const& s;
    phase_map const& m;
    list<bool> const& recomputed;
    accumulation_map const& sums;
    read_map const& reads;
    graph_view g;
    list<int> low, high, limit;
    list<int>
        columns{}; ///< of the rows that a node is computed along with; of a sum over features: its operand's
    list<block_key> keys{};
    list<int> key_of;  ///< node -> the key of its block, or -1
    list<bool> stands; ///< vectors in a matrix value, and sums over one: blocks read them from memory
    list<int> levelled{};
    list<edge> edges{};   ///< between levelled nodes, in their order
    list<bool> assembled; ///< slices and concats of what blocks of their phase compute
    int highest[3] = {0, 0, 0};
    block_map result{};

    constexpr block_finder(sweep const& of, phase_map const& phases, list<bool> const& rematerialized,
                           accumulation_map const& accumulated, read_map const& of_nodes)
        : s(of), m(phases), recomputed(rematerialized), sums(accumulated), reads(of_nodes), g(of.g),
          low(g.size()), high(g.size()), limit(g.size(), 1 << 20), columns(g.size(), no_axis),
          key_of(g.size(), -1), stands(g.size()), assembled(g.size()) {}

    constexpr bool in_block(int i) const { return key_of[i] >= 0; }

    constexpr void find_keys() {
        list<bool> inside(g.size());
        for (int i : m.order)
            inside[i] = m.live[i] && !is_source(s, i) && is_in_blocks(g[i]) && !recomputed[i] &&
                        !g.is_matrix(i) && !sums.is_sum(i);
        for (node const& n : g.nodes)
            if (n.kind == op::repeat && n.is_of_matrix())
                stands[written(g.operands[n.first])] = true;
        for (int i : m.order) {
            if (!inside[i])
                continue;
            axes const& shape = g[i].shape;
            columns[i] = shape.columns;
            bool const is_fold = g[i].kind == op::fold;
            stands[i] = stands[i] || is_fold;
            if (is_fold || g[i].kind == op::reduce)
                columns[i] = g[g.operand(i)].shape.columns;
            else if (columns[i] == no_axis)
                for (int o : reads[i])
                    if (columns[i] == no_axis && inside[o] && m.when[o] == m.when[i] &&
                        g[o].shape.row == shape.row && g[o].shape.time == shape.time)
                        columns[i] = columns[o];
            bool const waits = waits_for_row(g[i].kind) && g.is_matrix_value(g.operand(i));
            block_key const key{m.when[i], columns[i], shape.row, shape.time, waits};
            key_of[i] = keys.find(key);
            if (key_of[i] < 0)
                key_of[i] = keys.push_back(key);
        }
    }

    constexpr bool same_phase(int i, int o) const {
        return m.when[i] == m.when[o] && (!is_source(s, o) || m.delay_of[o] >= 0);
    }
    /// A delay within the loop is a value of the step before.
    constexpr bool is_of_the_step_before(int i) const {
        return m.delay_of[i] >= 0 && m.when[m.delay_of[i]] == phase::loop;
    }
    /// What writes node o: of a delay outside the loop its result.
    constexpr int written(int o) const {
        while (m.delay_of[o] >= 0 && !is_of_the_step_before(o))
            o = m.delay_of[o];
        return o;
    }
    /// How many levels node i has to stand above its operand o.
    constexpr int distance(int i, int o) const {
        int const from = written(o);
        bool const other_block =
            in_block(i) && (in_block(from) ? key_of[i] != key_of[from] || stands[from] : assembled[from]);
        return is_product_like(g[i]) || other_block ? 1 : 0;
    }
    /// What is assembled is read from memory: after the blocks that write it.
    constexpr void find_assembled() {
        for (int i : m.order)
            if ((g[i].kind == op::slice || g[i].kind == op::concat) && !g.is_matrix(i))
                for (int o : g.operands_of(i))
                    assembled[i] =
                        assembled[i] || (same_phase(i, o) && (in_block(written(o)) || assembled[written(o)]));
    }

    constexpr void find_edges() {
        for (int i : m.order) {
            if (recomputed[i] || (g.is_matrix(i) && g[i].kind != op::outer) || is_of_the_step_before(i))
                continue;
            levelled.push_back(i);
            for (int o : reads[i])
                if (same_phase(i, o) && !g.is_matrix(o))
                    edges.push_back({i, o, distance(i, o)});
        }
    }
    constexpr void find_lowest() {
        for (int i : levelled)
            low[i] = is_product_like(g[i]) ? 1 : 0;
        for (edge const& e : edges)
            if (int const above = low[e.to] + e.distance; above > low[e.from])
                low[e.from] = above;
        for (int i : levelled) {
            int& top = highest[static_cast<int>(m.when[i])];
            top = low[i] > top ? low[i] : top;
        }
    }
    constexpr void find_highest() {
        for (int i : m.order) {
            int const top = highest[static_cast<int>(m.when[i])];
            high[i] = limit[i] < top ? limit[i] : top;
        }
        for (int k = edges.size() - 1; k >= 0; --k) {
            edge const& e = edges[k];
            int const below = (is_product_like(g[e.from]) ? low[e.from] : high[e.from]) - e.distance;
            if (below < high[e.to])
                high[e.to] = below;
        }
    }

    /// As few levels as possible for the nodes of one key; each node to the latest that it may.
    constexpr void stab() {
        list<int> last(keys.size(), -1); // of each key, the latest level that its nodes have so far
        list<list<int>> on_level;        // nodes by the highest level that they may have
        for (int i : m.order)
            if (in_block(i)) {
                while (on_level.size() <= high[i])
                    on_level.push_back({});
                on_level[high[i]].push_back(i);
            }
        for (int h = 0; h < on_level.size(); ++h) {
            for (int i : on_level[h])
                if (last[key_of[i]] < low[i])
                    last[key_of[i]] = h;
            for (int i : on_level[h])
                result.level[i] = last[key_of[i]];
        }
    }

    /// Whether the block of node i comes after those of what it reads from memory; if not, they are limited.
    constexpr bool is_behind(int i, int o, bool from_memory = false) {
        bool fine = true;
        o = written(o);
        if (assembled[o] && same_phase(i, o))
            for (int part : g.operands_of(o))
                fine = is_behind(i, part, true) && fine;
        if (!in_block(o) || !same_phase(i, o) || (key_of[i] == key_of[o] && !from_memory && !stands[o]) ||
            result.level[o] < result.level[i])
            return fine;
        limit[o] = result.level[i] - 1;
        return false;
    }

    /// Blocks of different widths on one level cannot wait for each other: what stands too late is limited.
    constexpr bool is_in_order() {
        bool fine = true;
        for (int i : m.order)
            if (in_block(i))
                for (int o : reads[i])
                    fine = is_behind(i, o) && fine;
        return fine;
    }

    constexpr void make_blocks() {
        result.block_of.resize(g.size(), -1);
        list<int> key_of_block;
        for (int i : m.order) {
            if (!in_block(i))
                continue;
            block_key const& k = keys[key_of[i]];
            int chosen = -1;
            for (int b = 0; b < result.blocks.size() && chosen < 0; ++b) {
                planned_block const& there = result.blocks[b];
                if (key_of_block[b] == key_of[i] && there.level == result.level[i])
                    chosen = b;
            }
            if (chosen < 0) {
                key_of_block.push_back(key_of[i]);
                chosen = result.blocks.push_back({.when = k.when,
                                                  .level = result.level[i],
                                                  .columns = k.columns,
                                                  .row = k.row,
                                                  .time = k.time});
            }
            result.block_of[i] = chosen;
        }
    }

    constexpr void run() {
        result.level.resize(g.size());
        find_keys();
        find_assembled();
        find_edges();
        find_lowest();
        do {
            find_highest();
            result.level = low;
            stab();
        } while (!is_in_order());
        make_blocks();
    }
};

/// The bits of the wanted values that depend on each node.
constexpr list<unsigned> find_served(sweep const& s, phase_map const& m) {
    list<unsigned> serves(s.g.size());
    for (wanted_value const& w : s.wanted)
        serves[w.node] |= w.served;
    bool changed = true;
    while (changed) {
        changed = false;
        for (int k = m.order.size() - 1; k >= 0; --k) {
            int const i = m.order[k];
            if (m.delay_of[i] >= 0)
                serves[m.delay_of[i]] |= serves[i];
            else
                for (int o : s.g.operands_of(i))
                    serves[o] |= serves[i];
        }
        for (carried_pair const& pair : s.carried)
            if (unsigned const all = serves[pair.leaf] | serves[pair.result]; all != serves[pair.result]) {
                serves[pair.result] = all;
                changed = true;
            }
    }
    return serves;
}

constexpr task_kind kind_of_task(op k) {
    return k == op::product  ? task_kind::product
           : k == op::outer  ? task_kind::outer
           : k == op::repeat ? task_kind::repeat
           : k == op::fold   ? task_kind::fold
                             : task_kind::total;
}

} // namespace detail

/// Without tasks.
constexpr block_map find_blocks(sweep const& s, phase_map const& m, list<bool> const& rematerialized,
                                accumulation_map const& sums, read_map const& reads) {
    detail::block_finder finder(s, m, rematerialized, sums, reads);
    finder.run();
    return std::move(finder.result);
}

/// The tasks of blocks that have been found, in their order.
constexpr void add_tasks(sweep const& s, phase_map const& m, accumulation_map const& sums, block_map& to) {
    graph_view const& g = s.g;
    list<unsigned> const serves = detail::find_served(s, m);
    for (int i : m.order)
        if (is_product_like(g[i]) && !is_source(s, i)) {
            task t{.when = m.when[i], .level = to.level[i], .node = i, .serves = serves[i]};
            t.kind = detail::kind_of_task(g[i].kind);
            if (t.kind == task_kind::product)
                find_weight(g, t);
            if (sums.is_added(i))
                t.sum = sums.sum_of[i];
            to.tasks.push_back(t);
        } else if (to.block_of[i] >= 0)
            to.blocks[to.block_of[i]].serves |= serves[i];
    for (int b = 0; b < to.blocks.size(); ++b)
        to.tasks.push_back({.kind = task_kind::block,
                            .when = to.blocks[b].when,
                            .level = to.blocks[b].level,
                            .block = b,
                            .serves = to.blocks[b].serves});
    sort(to.tasks, [](task const& a, task const& b) {
        if (a.when != b.when)
            return a.when < b.when;
        if (a.level != b.level)
            return a.level < b.level;
        return a.kind != task_kind::block && b.kind == task_kind::block;
    });
}

} // namespace sluice
