// SPDX-License-Identifier: BSL-1.0
// A pointwise block as straight-line code over registers: loads, operations, stores. A backend compiles it,
// or runs it, once for each element.
#pragma once

#include <sluice/graph/plan.hpp>

namespace sluice {

/// register = kind(register a, register b); number: the value; apply: activation number `activation`.
struct instruction {
    op kind = op::number;
    int a = -1;
    int b = -1;
    int activation = -1;
    double value = 0;
};

/// A register that has to be written to memory.
struct block_store {
    int from = -1; ///< register
    home to{};
};

/// Registers 0 .. loads - 1 are loaded from the values of those nodes, the rest are computed in order.
template <std::size_t Loads, std::size_t Code, std::size_t Stores>
struct block_program {
    fixed_vector<int, Loads> loads{};
    fixed_vector<instruction, Code> code{};
    fixed_vector<block_store, Stores> stores{};

    constexpr int registers() const { return loads.size() + code.size(); }
};

/// Block number `block` of a plan, with room for as much as a block can be.
template <std::size_t N, std::size_t P>
constexpr auto compile_block(graph<N> const& g, plan<N, P> const& p, int block) {
    auto const written = [&](int i) { return p.block_of[i] == block && !p.homes[i].empty(); };
    auto const computed_here = [&](int i) {
        return g[i].kind == op::number || p.absorbed[i] ||
               (is_pointwise(g[i].kind) && (p.in_place[i] || p.block_of[i] == block));
    };
    bool read[N]{}; // from the last node to the first, because operands come before what reads them
    for (int i = g.size() - 1; i >= 0; --i) {
        read[i] = read[i] || written(i);
        if (read[i] && computed_here(i) && g[i].kind != op::number && !p.absorbed[i])
            for (int o : g[i].operands())
                if (o >= 0)
                    read[p.same_as[o]] = true;
    }
    block_program<N, N, N + 2 * P> program;
    int in_register[N]{};
    for (int i = 0; i < g.size(); ++i)
        if (read[i] && !computed_here(i)) {
            in_register[i] = program.loads.size();
            program.loads.push_back(i);
        }
    for (int i = 0; i < g.size(); ++i) {
        if (!read[i])
            continue;
        node const& n = g[i];
        if (computed_here(i)) {
            instruction next{.kind = op::number};
            if (!p.absorbed[i])
                next = {.kind = n.kind, .activation = n.index, .value = n.value};
            if (next.kind != op::number) {
                next.a = in_register[p.same_as[n.a]];
                next.b = n.b < 0 ? -1 : in_register[p.same_as[n.b]];
            }
            in_register[i] = program.registers();
            program.code.push_back(next);
        }
        for (int k = 0; k < p.homes[i].size() && written(i); ++k)
            program.stores.push_back({in_register[i], p.homes[i][k]});
    }
    return program;
}

/// The same program with lists that are just long enough.
template <std::size_t Loads, std::size_t Code, std::size_t Stores, class Program>
constexpr block_program<Loads, Code, Stores> fit(Program const& wide) {
    block_program<Loads, Code, Stores> program;
    for (int i : wide.loads)
        program.loads.push_back(i);
    for (instruction const& i : wide.code)
        program.code.push_back(i);
    for (block_store const& s : wide.stores)
        program.stores.push_back(s);
    return program;
}

} // namespace sluice
