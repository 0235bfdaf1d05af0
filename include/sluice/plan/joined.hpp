// SPDX-License-Identifier: BSL-1.0
// joined: the last pass over matrix values of a step of the loop and the first one of the next step, as one
// block. Of a gated delta rule
//
//   v = (k . a) S                   the first block of a step reads S
//   S' = a S + k u^T,  y = q S'     the last one reads S and writes S'
//
// joined, where k+ and a+ are those of the next step:
//
//   S' = a S + k u^T,  y = q S',  v = (k+ . a+) S'
//
// So a step reads S once. No task runs this block: groups that run many steps by themselves do
// (execute/apart.hpp). All that the first block reads beside S is there before the loop, and the last block
// neither reads nor writes where the first one writes, but for a vector in rows that both have.
#pragma once

#include <sluice/plan/block_walk.hpp>

namespace sluice {
namespace detail {

struct block_joiner {
    plan_view p;
    graph_view g;

    /// The buffer from which a node is read, or -1.
    constexpr int buffer_of(int node) const { return place_of(p, g, node).buffer; }
    /// Whether the next step can read a value before this one ends: no step writes over it before.
    constexpr bool is_there_before(int node) const {
        int const buffer = buffer_of(node);
        return buffer < 0 || has_each_step(buffer) || !is_in_loop(p, buffer);
    }
    /// Whether what a step writes there lies in none of another's numbers.
    constexpr bool has_each_step(int buffer) const {
        return p.buffers[buffer].tape && p.buffers[buffer].delay == 0;
    }
    /// The store of a block that writes what a node is in the next step, or -1.
    constexpr int store_of_next(block_walk const& last, int node) const {
        for (carried_pair const& c : p.carried)
            for (int i = 0; c.leaf == node && i < last.stores.count; ++i)
                if (last.stores[i].node == c.result && last.stores[i].how == lies::as_wide)
                    return i;
        return -1;
    }
    constexpr bool share_memory(int a, int b) const {
        return a == b ? !has_each_step(a) : p.buffers[a].slot >= 0 && p.buffers[a].slot == p.buffers[b].slot;
    }
    /// Whether the last block neither reads nor writes where the first one of the next step stores. It may
    /// read that very vector in rows: a kernel reads its numbers of some columns before it stores their sums.
    constexpr bool is_beside(block_walk const& last, block_store const& made) const {
        for (block_load const& load : last.loads)
            if (int const read = buffer_of(load.node); read >= 0 && share_memory(read, made.to.buffer))
                if (made.how != lies::in_rows || load.how != lies::in_rows ||
                    !(place_of(p, g, load.node) == made.to))
                    return false;
        for (block_store const& store : last.stores)
            if (share_memory(store.to.buffer, made.to.buffer))
                return false;
        return true;
    }
    /// Whether a block is one pass over matrix values of that width.
    constexpr bool is_pass(task const& t, int columns) const {
        if (t.kind != task_kind::block || p.blocks[t.block].columns != columns)
            return false;
        block_walk const walk(p, t.block);
        return p.is_matrix(columns) && p.blocks[t.block].row && walk.has_standing() && !walk.waits_for_row();
    }
    /// Whether all sums are over rows, or all over columns.
    static constexpr bool sum_alike(block_walk const& one, block_walk const& other) {
        bool found[2] = {};
        for (block_walk const* w : {&one, &other})
            for (block_store const& store : w->stores)
                if (store.how != lies::as_wide)
                    found[store.how == lies::in_rows] = true;
        return !(found[0] && found[1]);
    }
    constexpr joined_blocks find() const {
        int first = -1, last = -1;
        for (int t = 0; t < p.tasks.size(); ++t)
            if (p.tasks[t].when == phase::loop) {
                first = first < 0 ? t : first;
                last = t;
            }
        if (first == last || p.tasks[last].kind != task_kind::block)
            return {};
        int const columns = p.blocks[p.tasks[last].block].columns;
        if (!is_pass(p.tasks[last], columns) || !is_pass(p.tasks[first], columns))
            return {};
        block_walk const one(p, p.tasks[first].block), other(p, p.tasks[last].block);
        bool fits = one.wide_loads() > 0 && other.wide_loads() == one.wide_loads() && sum_alike(one, other);
        for (block_load const& load : one.loads)
            fits =
                fits && (load.is_wide() ? store_of_next(other, load.node) >= 0 : is_there_before(load.node));
        for (block_store const& store : one.stores)
            fits = fits && is_beside(other, store);
        return fits ? joined_blocks{p.tasks[last].block, p.tasks[first].block, p.blocks.size()}
                    : joined_blocks{};
    }
};

} // namespace detail

/// Puts that block after the others of a plan.
constexpr void add_joined(plan& p, graph_view g) {
    plan_view const old = view_of(p);
    detail::block_joiner const joiner{old, g};
    joined_blocks const found = joiner.find();
    if (found.block < 0)
        return;
    block_walk const last(old, found.last), first(old, found.first);
    planned_block made = old.blocks[found.last];
    made.serves &= old.blocks[found.first].serves;
    list<block_load> loads;
    list<instruction> code;
    list<int> registers;
    list<block_store> stores;
    int const before = old.registers.size();
    int const added = first.loads.count - first.wide_loads();

    auto const of_last = [&](int r) { return r < last.loads.count ? r : r + added; };
    auto const add = [&](block_walk const& walk, auto const& of) {
        for (int i = 0; i < walk.code.count; ++i) {
            instruction next = walk.code[i];
            next.operands.first = before + registers.size();
            for (int k = 0; k < next.operands.count; ++k)
                registers.push_back(of(walk.operand(i, k)));
            code.push_back(next);
        }
        for (block_store store : walk.stores) {
            store.from = of(store.from);
            stores.push_back(store);
        }
    };
    for (block_load const& load : last.loads)
        loads.push_back(load);
    add(last, of_last);

    // A state is a register by itself: it is read as it was stored, and not rounded with what it is added to.
    list<int> register_of;
    for (block_load const& load : first.loads)
        if (load.is_wide()) {
            int const from = of_last(last.stores[joiner.store_of_next(last, load.node)].from);
            instruction copy{.kind = op::spread, .operands = {before + registers.size(), 1}};
            registers.push_back(from);
            register_of.push_back(last.loads.count + added + code.push_back(copy));
        } else
            register_of.push_back(loads.push_back(load));
    int const start = last.loads.count + added + code.size() - first.loads.count;
    auto const of_first = [&](int r) { return r < first.loads.count ? register_of[r] : r + start; };
    add(first, of_first);

    made.loads = {old.loads.size(), loads.size()};
    made.code = {old.code.size(), code.size()};
    made.stores = {old.stores.size(), stores.size()};
    for (block_load const& load : loads)
        p.loads.push_back(load);
    for (instruction const& i : code)
        p.code.push_back(i);
    for (int r : registers)
        p.registers.push_back(r);
    for (block_store const& store : stores)
        p.stores.push_back(store);
    p.blocks.push_back(made);
    p.about.joined = found;
}

} // namespace sluice
