// SPDX-License-Identifier: BSL-1.0
// What passes of the planner find, as text beside that of support/graph_text.hpp. The loop of a minimal gated
// unit:
//
//   loop 1: product v2                     a task: its phase, its level, what it computes
//   loop 1: block [B units] v3 v4          rows of that width, and the nodes in it
//   loop 2: product v5 into v8             it is added to what lies in the place of the sum v8
//
// and where values lie:
//
//   v3: 1                                  in buffer 1
//   v4: 2 from units                       in buffer 2, from that column on
//   h: 3 one step before                   the value of buffer 3's result in the step before
#pragma once

#include <sluice/plan/schedule.hpp>
#include <support/graph_text.hpp>

namespace plan_text {

/// The passes up to the one that is tested, one after the other.
struct passes {
    graph_text::owned_sweep of;
    graph_text::node_labels label = graph_text::labels(of.s.g);
    sluice::phase_map phases = sluice::find_phases(of.s);
    sluice::list<bool> rematerialized = sluice::find_rematerialized(of.s, phases);

    explicit passes(std::string const& text) : of(graph_text::sweep_of(text)) {}
    passes(passes const&) = delete; // the sweep looks at its graph
};

inline std::string tasks_text(passes const& p, sluice::block_map const& blocks) {
    std::ostringstream out;
    for (sluice::task const& t : blocks.tasks) {
        out << graph_text::word_of(t.when) << ' ' << t.level << ": ";
        if (t.kind != sluice::task_kind::block) {
            out << (t.kind == sluice::task_kind::product ? "product "
                    : t.kind == sluice::task_kind::outer ? "outer "
                                                         : "total ")
                << p.label(t.node) << (t.accumulates() ? " into " + p.label(t.sum) : "") << '\n';
            continue;
        }
        sluice::planned_block const& b = blocks.blocks[t.block];
        out << "block "
            << graph_text::detail::axes_text(p.of.s.g, {.time = false, .row = b.row, .columns = b.columns});
        for (int i = 0; i < p.of.s.g.size(); ++i)
            if (blocks.block_of[i] == t.block)
                out << ' ' << p.label(i);
        out << '\n';
    }
    return out.str();
}

/// One line for each node that has places, then one for each buffer: its axes, and the slot of memory that it
/// is in.
inline std::string memory_text(passes const& p, sluice::buffer_map const& memory) {
    sluice::basic_widths<sluice::view> const widths{memory.widths.widths, memory.widths.parts};
    std::ostringstream out;
    for (int i = 0; i < memory.places.size(); ++i) {
        if (memory.places[i].empty())
            continue;
        out << p.label(i) << ':';
        for (char const* comma = ""; sluice::placement const& place : memory.places[i]) {
            out << comma << ' ' << place.buffer + 1;
            if (place.offset >= 0)
                out << " from " << graph_text::detail::width_text(widths, place.offset);
            if (place.groups >= 0)
                out << " in groups of " << graph_text::detail::width_text(widths, place.groups);
            if (place.delay > 0)
                out << (place.delay == 1 ? " one step before" : " steps before: ")
                    << (place.delay == 1 ? "" : std::to_string(place.delay));
            comma = ",";
        }
        out << '\n';
    }
    for (int b = 0; b < memory.buffers.size(); ++b) {
        sluice::buffer const& one = memory.buffers[b];
        out << "buffer " << b + 1 << ": "
            << graph_text::detail::axes_text(widths,
                                             {.time = one.tape, .row = one.row, .columns = one.columns})
            << " slot " << one.slot + 1 << '\n';
    }
    return out.str();
}

} // namespace plan_text
