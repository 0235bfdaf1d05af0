// SPDX-License-Identifier: BSL-1.0
// program: what a block does, as straight-line code over registers: loads, instructions, stores.
//
// The second block in the loop of the GRU; q is (r . h) R_n, xn the hoisted x W_n + b_n:
//
//   loads    0 q   1 xn   2 u   3 h
//   code     4 add 0 1   5 tanh 4   6 multiply 2 3   7 number 1   8 subtract 7 2
//            9 multiply 8 5   10 add 6 9
//   stores   5 n   10 next(h)
#pragma once

#include <sluice/plan/buffers.hpp>

namespace sluice {

/// The programs of all blocks, one after the other.
struct program_map {
    list<planned_block> blocks{}; ///< with their parts of these lists
    list<block_load> loads{};
    list<instruction> code{};
    list<int> registers{};
    list<block_store> stores{};
};

namespace detail {

struct programmer {
    graph_view g;
    sweep const& s;
    phase_map const& m;
    list<bool> const& recomputed;
    block_map const& blocks;
    buffer_map const& memory;
    program_map p{};
    list<int> sequence{}; ///< all that can be in a block, operands first

    constexpr bool is_recomputed(int i) const { return g[i].kind == op::number || recomputed[i]; }

    constexpr void find_sequence() {
        list<bool> there(g.size());
        for (int i = 0; i < g.size(); ++i)
            if (g[i].kind == op::number ||
                (recomputed[i] && (i < s.start || g[i].kind == op::features || !m.live[i]))) {
                sequence.push_back(i);
                there[i] = true;
            }
        for (int i : m.order)
            if (!there[i] && (recomputed[i] || blocks.block_of[i] >= 0))
                sequence.push_back(i);
    }

    static constexpr lies how_it_lies(node const& n) {
        return n.stands(equation::stands::as_column) ? lies::in_columns : lies::in_rows;
    }

    constexpr void run(int b) {
        planned_block& block = p.blocks[b];
        list<bool> needed(g.size());
        list<int> loaded, mine;
        for (int k = sequence.size() - 1; k >= 0; --k) {
            int const i = sequence[k];
            bool const here = blocks.block_of[i] == b;
            if (!here && !(needed[i] && is_recomputed(i)))
                continue;
            bool const stands = g[i].kind == op::repeat;
            if (stands)
                loaded.push_back(i);
            if (here || !stands)
                mine.push_back(i);
            if (stands || g[i].kind == op::features)
                continue;
            for (int o : g.operands_of(i)) {
                if (needed[o])
                    continue;
                needed[o] = true;
                if (!is_recomputed(o) && blocks.block_of[o] != b)
                    loaded.push_back(o);
            }
        }
        sort(loaded, [](int a, int c) { return a < c; });
        list<int> register_of(g.size(), -1), ready;
        block.loads = {p.loads.size(), loaded.size()};
        for (int i : loaded) {
            register_of[i] = ready.push_back(0);
            if (g[i].kind == op::repeat && (recomputed[i] || blocks.block_of[i] == b))
                p.loads.push_back({.node = g.operand(i), .how = how_it_lies(g[i])});
            else
                p.loads.push_back({i, !g[i].shape.has_features()});
        }
        block.code.first = p.code.size();
        block.stores.first = p.stores.size();
        for (int k = mine.size() - 1; k >= 0; --k) {
            int const i = mine[k];
            node const& n = g[i];
            if (n.kind == op::fold) {
                for (placement const& to : memory.places[i])
                    p.stores.push_back({register_of[g.operand(i)], to, false, i, how_it_lies(n)});
                continue;
            }
            instruction next{.kind = n.kind, .function = n.function, .value = n.value};
            next.per_row = !n.shape.has_features();
            next.operands.first = p.registers.size();
            auto const read = [&](int o) {
                p.registers.push_back(register_of[o]);
                next.stage = ready[register_of[o]] > next.stage ? ready[register_of[o]] : next.stage;
            };
            if (n.kind == op::repeat) { // stored as a matrix
                next.kind = op::spread;
                read(i);
            } else if (n.kind != op::features)
                for (int o : g.operands_of(i))
                    read(o);
            next.groups = n.groups;
            if (about(n.kind).counts)
                next.columns = g[g.operand(i)].shape.columns;
            next.operands.count = p.registers.size() - next.operands.first;
            register_of[i] = ready.push_back(next.stage + waits_for_row(n.kind));
            p.code.push_back(next);
            int const stages = next.stage + (is_row_function(n.kind) ? 2 : 1); // it is stored in the next one
            block.stages = stages > block.stages ? stages : block.stages;
            if (blocks.block_of[i] == b)
                for (placement const& to : memory.places[i])
                    p.stores.push_back({register_of[i], to, next.per_row, i});
        }
        block.code.count = p.code.size() - block.code.first;
        block.stores.count = p.stores.size() - block.stores.first;
    }
};

} // namespace detail

constexpr program_map write_programs(sweep const& s, phase_map const& m, list<bool> const& rematerialized,
                                     block_map const& blocks, buffer_map const& memory) {
    detail::programmer writer{s.g, s, m, rematerialized, blocks, memory};
    writer.p.blocks = blocks.blocks;
    writer.find_sequence();
    for (int b = 0; b < writer.p.blocks.size(); ++b)
        writer.run(b);
    return std::move(writer.p);
}

} // namespace sluice
