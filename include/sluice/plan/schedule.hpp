// SPDX-License-Identifier: BSL-1.0
// schedule: what is done in which order, and where values lie. Products accumulate (plan/accumulate.hpp)
// where the loop has fewer blocks for it and nothing needs more memory, which is tried: of the three sums in
// the gradient of a recurrent highway network of depth 3 the last one saves a block; blocks that are there
// anyway compute the others.
#pragma once

#include <sluice/plan/buffers.hpp>

namespace sluice {

struct schedule {
    accumulation_map sums;
    read_map reads;
    block_map blocks{};
    buffer_map memory{};
};

namespace detail {

struct schedule_finder {
    sweep const& s;
    list<bool> const& recomputed;
    accumulation_map const possible;
    phase_map m;

    constexpr schedule_finder(sweep const& of, phase_map const& phases, list<bool> const& rematerialized)
        : s(of), recomputed(rematerialized), possible(find_accumulable(of, phases)), m(phases) {
        m.order = with_products_last(phases.order, possible);
    }

    /// Levels and blocks only.
    constexpr schedule with_blocks(accumulation_map const& sums) const {
        schedule found{sums, read_map(s, m, recomputed, sums)};
        found.blocks = find_blocks(s, m, recomputed, found.sums, found.reads);
        return found;
    }
    constexpr void add_tasks_and_memory(schedule& to) const {
        add_tasks(s, m, to.sums, to.blocks);
        to.memory = find_buffers(s, m, recomputed, to.sums, to.reads, to.blocks);
    }

    static constexpr int blocks_in_loop(schedule const& l) {
        int count = 0;
        for (planned_block const& b : l.blocks.blocks)
            count += b.when == phase::loop;
        return count;
    }
    /// Memory of the same kind as `like`.
    static constexpr int slots_like(schedule const& l, buffer const& like) {
        list<int> found;
        for (buffer const& b : l.memory.buffers)
            if (b.columns == like.columns && b.row == like.row && b.tape == like.tape &&
                b.delay == like.delay && !found.contains(b.slot))
                found.push_back(b.slot);
        return found.size();
    }
    static constexpr bool needs_no_more_memory(schedule const& now, schedule const& before) {
        for (buffer const& b : now.memory.buffers)
            if (slots_like(now, b) > slots_like(before, b))
                return false;
        return true;
    }

    /// With these sums as well.
    constexpr schedule with_sums(schedule const& before, list<int> const& more) const {
        accumulation_map sums = before.sums;
        for (int sum : more)
            sums.add(s.g, sum, possible.product_of[sum]);
        return with_blocks(sums);
    }

    constexpr schedule run() const {
        schedule best = with_blocks(accumulation_map(s.g.size()));
        add_tasks_and_memory(best);
        list<int> untried;
        for (int i : m.order)
            if (possible.is_sum(i) && !recomputed[other_summand(s.g, i, possible.product_of[i])])
                untried.push_back(i);
        while (!untried.empty()) {
            schedule next = with_sums(best, untried);
            if (blocks_in_loop(next) >= blocks_in_loop(best))
                break; // and no part of them saves one
            int const block = best.blocks.block_of[untried.back()];
            list<int> chosen, others; // a block is saved when no sum is left in it
            for (int sum : untried)
                (best.blocks.block_of[sum] == block ? chosen : others).push_back(sum);
            untried = std::move(others);
            if (!untried.empty())
                next = with_sums(best, chosen);
            if (blocks_in_loop(next) >= blocks_in_loop(best))
                continue;
            add_tasks_and_memory(next);
            if (needs_no_more_memory(next, best))
                best = std::move(next);
        }
        return best;
    }
};

} // namespace detail

constexpr schedule find_schedule(sweep const& s, phase_map const& m, list<bool> const& rematerialized) {
    return detail::schedule_finder(s, m, rematerialized).run();
}

} // namespace sluice
