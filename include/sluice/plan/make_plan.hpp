// SPDX-License-Identifier: BSL-1.0
// The plan of a sweep, from its parts:
//
//   phases         what is wanted, what is a recurrence, what leaves the loop
//   rematerialize  what is recomputed rather than kept
//   accumulate     which products could be added to what lies in the place of a sum
//   blocks         levels, and what is computed together
//   buffers        where values lie
//   schedule       blocks and buffers, with the products that gain from it accumulating
//   program        what each block does
//   orders         what a step by itself can do
//   in_place       which states are written where they are read
//   joined         the last pass of a step with the first one of the next
//   check          that the plan is one
#pragma once

#include <sluice/plan/block_walk.hpp>
#include <sluice/plan/check.hpp>
#include <sluice/plan/in_place.hpp>
#include <sluice/plan/joined.hpp>
#include <sluice/plan/orders.hpp>
#include <sluice/plan/plan.hpp>
#include <sluice/plan/program.hpp>
#include <sluice/plan/schedule.hpp>

namespace sluice {

/// The same sweep, which keeps the values that later ones read, of those before node `end`.
constexpr sweep keeping(sweep s, view<int> saved, int end) {
    for (int i : saved)
        if (i >= s.start && i < end)
            s.wanted.push_back({i, wanted_value::extent::history});
    return s;
}
constexpr sweep keeping(sweep const& s, view<int> saved) {
    return keeping(s, saved, s.g.size());
}

/// The same for `later`, a plan of a sweep over `all` that runs the other way: matrix values that only its
/// loop reads are wanted in parts.
constexpr sweep keeping_parts(sweep s, plan_view const& later, graph_view const& all) {
    list<int> everywhere; // what is not read by its loop alone
    for (int i : later.saved)
        if (!s.g.is_matrix_value(i))
            everywhere.push_back(i);
    for (task const& t : later.tasks)
        if (t.when == phase::loop)
            continue;
        else if (t.kind != task_kind::block)
            for (int o : all.operands_of(t.node))
                everywhere.push_back(o);
        else
            for (block_load const& load : block_walk(later, t.block).loads)
                everywhere.push_back(load.node);
    for (int i : later.saved)
        if (i >= s.start)
            s.wanted.push_back(
                {i, everywhere.contains(i) ? wanted_value::extent::history : wanted_value::extent::parts});
    return s;
}

/// Throws `std::logic_error`, which stops a constant expression too, if the plan breaks one of its own laws.
constexpr plan make_plan(sweep const& s) {
    phase_map const phases = find_phases(s);
    list<bool> const rematerialized = find_rematerialized(s, phases);
    schedule found = find_schedule(s, phases, rematerialized);
    block_map& blocks = found.blocks;
    buffer_map& memory = found.memory;
    program_map programs = write_programs(s, phases, rematerialized, blocks, memory);

    plan p;
    p.widths = std::move(memory.widths.widths);
    p.parts = std::move(memory.widths.parts);
    p.tasks = std::move(blocks.tasks);
    p.blocks = std::move(programs.blocks);
    p.loads = std::move(programs.loads);
    p.code = std::move(programs.code);
    p.registers = std::move(programs.registers);
    p.stores = std::move(programs.stores);
    p.buffers = std::move(memory.buffers);
    p.saved = std::move(memory.saved);
    p.wanted = s.wanted;
    for (list<placement> const& places : memory.places) {
        p.places_of.push_back({p.places.size(), places.size()});
        for (placement const& place : places)
            p.places.push_back(place);
    }
    for (carried_pair const& pair : s.carried)
        if (phases.live[pair.leaf])
            p.carried.push_back(pair);
    for (task const& t : p.tasks) {
        if (t.kind == task_kind::product && !p.weights.contains(t.weight))
            p.weights.push_back(t.weight);
        p.about.has_product_in_loop =
            p.about.has_product_in_loop || (t.kind == task_kind::product && t.when == phase::loop);
    }
    p.about.start = s.start;
    p.about.way = s.way;
    step_map steps = find_steps(p, s.g);
    p.odd = std::move(steps.odd);
    for (int l = 0; l < p.loads.size(); ++l)
        p.loads[l].source = steps.sources[l];
    for (int t = 0; t < p.tasks.size(); ++t)
        p.tasks[t].stays = steps.stays[t];
    for (task& t : p.tasks)
        t.replays = memory.replay.runs(t);
    list<bool> const in_place = find_in_place(view_of(p), s.g);
    for (int b = 0; b < p.buffers.size(); ++b)
        p.buffers[b].in_place = in_place[b];
    add_joined(p, s.g);
    check_plan(p, s, phases, rematerialized);
    return p;
}

/// The plans of sweeps of which each reads values of those before it, and so keeps what those after it read.
constexpr list<plan> make_plans(list<sweep> const& sweeps) {
    list<plan> plans(sweeps.size());
    list<int> saved;
    for (int k = sweeps.size() - 1; k >= 0; --k) {
        int const end = k + 1 < sweeps.size() ? sweeps[k + 1].start : sweeps[k].g.size();
        plans[k] = make_plan(keeping(sweeps[k], saved, end));
        for (int i : plans[k].saved)
            if (!saved.contains(i))
                saved.push_back(i);
    }
    return plans;
}

} // namespace sluice
