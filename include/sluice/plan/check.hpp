// SPDX-License-Identifier: BSL-1.0
// check: the laws of a plan. Every live product-like node is done once, whatever is read was written before,
// or in the step before, and what is wanted has a place. What a product is added to is there before, in the
// same place, and is not read again: from then on the sum is there.
#pragma once

#include <sluice/plan/accumulate.hpp>
#include <sluice/plan/plan.hpp>
#include <stdexcept>

namespace sluice {

/// Throws `std::logic_error` where a plan breaks a law; a constant expression stops there.
constexpr void check_plan(plan const& p, sweep const& s, phase_map const& m,
                          list<bool> const& rematerialized) {
    graph_view const g = s.g;
    auto const require = [](bool law, char const* broken) {
        if (!law)
            throw std::logic_error(broken);
    };
    list<bool> written(g.size());
    for (int i = 0; i < g.size(); ++i)
        written[i] = is_source(s, i);
    auto const is_there = [&](int i) {
        list<int> work{i};
        bool all = true;
        for (int done = 0; done < work.size(); ++done) {
            int const w = work[done];
            bool const alias = !is_source(s, w) && (g[w].kind == op::slice || g[w].kind == op::concat);
            if (alias)
                for (int o : g.operands_of(w))
                    work.push_back(o);
            else
                all = all && (written[w] || g.is_matrix(w));
        }
        return all;
    };
    list<bool> replaced(g.size()); // by a sum in the same place
    auto const accumulate = [&](task const& t) {
        int const to = other_summand(g, t.sum, t.node);
        require(written[to] && !is_source(s, to) && !written[t.sum],
                "sluice: a product of a plan is added to what was not computed");
        range const place = p.places_of[t.sum], mine = p.places_of[t.node], before = p.places_of[to];
        require(place.count == 1 && mine.count == 1 && before.count == 1 &&
                    p.places[mine.first] == p.places[place.first] &&
                    p.places[before.first] == p.places[place.first],
                "sluice: a product of a plan is added to what lies elsewhere");
        written[to] = false;
        replaced[to] = true;
    };
    list<int> times(g.size());
    phase last = phase::before;
    for (task const& t : p.tasks) {
        require(last <= t.when, "sluice: the tasks of a plan are not in the order of their phases");
        last = t.when;
        if (t.kind != task_kind::block) {
            ++times[t.node];
            if (t.accumulates())
                accumulate(t);
            require(is_there(g.operand(t.node)) &&
                        (t.kind != task_kind::outer || is_there(g.operand(t.node, 1))),
                    "sluice: a plan multiplies what was not computed");
            written[t.accumulates() ? t.sum : t.node] = true;
            continue;
        }
        planned_block const& b = p.blocks[t.block];
        for (block_load const& load : view<block_load>(p.loads).part(b.loads.first, b.loads.count))
            require(is_there(load.node), "sluice: a block of a plan reads what was not computed");
        int const registers = b.loads.count + b.code.count;
        for (block_store const& store : view<block_store>(p.stores).part(b.stores.first, b.stores.count)) {
            require(store.from < registers, "sluice: a block of a plan stores what it does not have");
            written[store.node] = true;
        }
    }
    for (int i : m.order) {
        if (is_product_like(g[i]) && !is_source(s, i))
            require(times[i] == 1, "sluice: a product of a plan is not done exactly once");
        if (is_in_blocks(g[i]) && !g.is_matrix(i) && !rematerialized[i] && p.places_of[i].count > 0)
            require(written[i] || replaced[i], "sluice: a value of a plan is never written");
    }
    for (wanted_value const& w : s.wanted)
        require(is_there(w.node), "sluice: a plan does not compute what is wanted of it");
}

} // namespace sluice
