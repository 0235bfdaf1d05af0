// SPDX-License-Identifier: BSL-1.0
// orders: what a step by itself, as a stream takes it, can do with the tasks of a plan.
//
// In every second step, products that follow each other and have nothing to do with each other change places:
// the weights that a step multiplied with last are the first of the next one, and still in the caches. Each
// call of a product reads its weights from the other end than the one before it, for the same reason. Of a
// GRU in cuDNN's form:
//
//   even steps   a = x W    b = h R    gates, candidate, next state
//   odd steps    b = h R    a = x W    gates, candidate, next state
//
// And a block that reads what a product of the step has made takes it from registers, where the step is short
// enough to have it there: a and b are in no memory.
#pragma once

#include <sluice/plan/plan.hpp>

namespace sluice {

struct step_map {
    list<int> odd{};     ///< which task is run in the place of each, in odd steps
    list<int> sources{}; ///< of each load: the product of the step that makes it, or -1
    list<bool> stays{};  ///< of each task: a product that nothing but blocks of the step reads, by `sources`
};

namespace detail {

struct step_finder {
    plan const& p;
    graph_view g;
    list<int> product_of{}; ///< node -> the product that makes it, a vector; or -1

    constexpr step_finder(plan const& of, graph_view graph) : p(of), g(graph), product_of(graph.size(), -1) {
        for (int t = 0; t < p.tasks.size(); ++t)
            if (p.tasks[t].kind == task_kind::product && !g.is_matrix_value(p.tasks[t].node))
                product_of[result_of(t)] = t;
    }

    constexpr int result_of(int t) const {
        return p.tasks[t].accumulates() ? p.tasks[t].sum : p.tasks[t].node;
    }
    /// What a slice, or a slice of a slice, is a part of.
    constexpr int whole_of(int i) const {
        while (g[i].kind == op::slice && g[i].groups == no_axis)
            i = g.operand(i);
        return i;
    }
    constexpr bool is_new_product(int t) const {
        return p.tasks[t].kind == task_kind::product && !p.tasks[t].accumulates();
    }
    /// Buffers of one slot share theirs; what has none is apart from all.
    constexpr int memory_of(int node) const {
        node = whole_of(node);
        if (p.places_of[node].count == 0)
            return -1 - node;
        int const buffer = p.places[p.places_of[node].first].buffer, slot = p.buffers[buffer].slot;
        return slot < 0 ? buffer : p.buffers.size() + slot;
    }
    /// Whether no memory is that of a product's result and of the other's result or operand.
    constexpr bool are_apart(int a, int b) const {
        int const to_a = memory_of(p.tasks[a].node), to_b = memory_of(p.tasks[b].node);
        return to_a != to_b && to_a != memory_of(g.operand(p.tasks[b].node)) &&
               to_b != memory_of(g.operand(p.tasks[a].node));
    }

    constexpr list<int> odd() const {
        list<int> order;
        for (int first = 0, last = 0; first < p.tasks.size(); first = last) {
            for (last = first + 1; last < p.tasks.size() && is_new_product(last); ++last) {
                bool joins = true;
                for (int k = first; k < last; ++k)
                    joins = joins && is_new_product(k) && are_apart(k, last);
                if (!joins)
                    break;
            }
            for (int k = last; k-- > first;)
                order.push_back(k);
        }
        return order;
    }

    constexpr list<int> sources() const {
        list<int> found;
        for (block_load const& load : p.loads) {
            bool const is_earlier =
                p.places_of[load.node].count > 0 && p.places[p.places_of[load.node].first].delay > 0;
            found.push_back(is_earlier || load.how != lies::as_wide ? -1 : product_of[whole_of(load.node)]);
        }
        return found;
    }

    /// Marks the products that are read from memory, where node i is.
    constexpr void read(int i, list<bool>& in_memory) const {
        if (product_of[i] >= 0)
            in_memory[product_of[i]] = true;
        else if (g[i].kind == op::slice || g[i].kind == op::concat)
            for (int o : g.operands_of(i))
                read(o, in_memory);
    }
    constexpr list<bool> stays(list<int> const& sources) const {
        list<bool> in_memory(p.tasks.size());
        for (int t = 0; t < p.tasks.size(); ++t) {
            if (p.tasks[t].kind != task_kind::block)
                for (int o : g.operands_of(p.tasks[t].node))
                    if (!g.is_matrix(o))
                        read(o, in_memory);
            in_memory[t] = in_memory[t] || p.tasks[t].kind != task_kind::product ||
                           p.tasks[t].accumulates() || is_read_later(result_of(t)) ||
                           g.is_matrix_value(p.tasks[t].node);
        }
        for (int l = 0; l < sources.size(); ++l)
            if (sources[l] < 0)
                read(p.loads[l].node, in_memory);
        for (wanted_value const& w : p.wanted)
            read(w.node, in_memory);
        for (carried_pair const& pair : p.carried)
            read(pair.result, in_memory);
        for (task const& t : p.tasks) // a sum that begins with what another product has made
            if (t.kind == task_kind::product && t.accumulates())
                for (int o : g.operands_of(t.sum))
                    read(o, in_memory);
        list<bool> found;
        for (bool const is_read : in_memory)
            found.push_back(!is_read);
        return found;
    }
    constexpr bool is_read_later(int node) const {
        return p.places_of[node].count > 0 && p.buffers[p.places[p.places_of[node].first].buffer].delay > 0;
    }
};

} // namespace detail

/// Of a plan, whose tasks, loads and places are known.
constexpr step_map find_steps(plan const& p, graph_view g) {
    detail::step_finder const finder(p, g);
    step_map found;
    found.odd = finder.odd();
    found.sources = finder.sources();
    found.stays = finder.stays(found.sources);
    return found;
}

} // namespace sluice
