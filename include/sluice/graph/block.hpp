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
struct block_program {
    fixed_vector<int, 64> loads{};
    fixed_vector<instruction, 160> code{};
    fixed_vector<block_store, 64> stores{};

    constexpr int registers() const { return loads.size() + code.size(); }
};

namespace detail {

template <std::size_t N>
struct block_compiler {
    graph<N> const& g;
    plan<N> const& p;
    int block;
    block_program program{};
    fixed_vector<int, 224> nodes{}; ///< register -> node, loads first

    constexpr bool computed_here(int i) const {
        return is_pointwise(g[i].kind) && (p.in_place[i] || p.block_of[i] == block);
    }
    /// Loads come first, so that registers are numbered once.
    constexpr void collect_loads(int i) {
        i = p.same_as[i];
        if (p.absorbed[i] || g[i].kind == op::number || program.loads.contains(i))
            return;
        if (!computed_here(i)) {
            program.loads.push_back(i);
            return;
        }
        collect_loads(g[i].a);
        if (g[i].b >= 0)
            collect_loads(g[i].b);
    }
    constexpr int emit(int i) {
        i = p.same_as[i];
        if (int const there = nodes.find(i); there >= 0)
            return there;
        node const& n = g[i];
        instruction next{.kind = n.kind, .activation = n.index, .value = n.value};
        if (p.absorbed[i])
            next = {.kind = op::number};
        else if (n.kind != op::number) {
            next.a = emit(n.a);
            next.b = n.b < 0 ? -1 : emit(n.b);
        }
        program.code.push_back(next);
        return nodes.push_back(i);
    }
    constexpr block_program run() {
        for (int i = 0; i < g.size(); ++i)
            if (p.block_of[i] == block && !p.homes[i].empty())
                collect_loads(i);
        for (int i : program.loads)
            nodes.push_back(i);
        for (int i = 0; i < g.size(); ++i)
            if (p.block_of[i] == block && !p.homes[i].empty()) {
                int const from = emit(i);
                for (home const& to : p.homes[i])
                    program.stores.push_back({from, to});
            }
        return program;
    }
};

} // namespace detail

template <std::size_t N>
constexpr block_program compile_block(graph<N> const& g, plan<N> const& p, int block) {
    return detail::block_compiler<N>{g, p, block}.run();
}

} // namespace sluice
