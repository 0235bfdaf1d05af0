// SPDX-License-Identifier: BSL-1.0
// print of a plan: what will run. Of the forward plan of the GRU:
//
//   forward
//     before the loop
//       x [W_r W_u W_n] : [T B, input] x [input, 3 units]
//     loop
//       h [R_r R_u] : [B, units] x [units, 2 units]
//       block of [B, units]
//         r = sigmoid(x W_r + h R_r + b_r)
//         ...
//     memory
//       1  [T, B, 3 units]  x W_r, x W_u, x W_n
//
// T is time and B the batch. What a block stores has a line, the rest stands inside the lines. v1, v2, ...
// are values without a name.
#pragma once

#include <sluice/graph/print/notation.hpp>
#include <sluice/graph/print/print.hpp>
#include <sluice/plan/block_walk.hpp>
#include <sluice/plan/plans.hpp>

namespace sluice {
namespace detail {

struct plan_printer {
    plan_view p;
    graph_view g;
    printer names;
    list<int> saved;
    list<list<int>> nodes_of_block{}; ///< what is written as a line of the block, operands first
    int numbered = 0;

    constexpr plan_printer(plan_view of, graph_view whole)
        : p(of), g(whole), names(whole, notation::text), saved(of.saved) {
        sort(saved, [](int a, int b) { return a < b; });
    }

    constexpr view<placement> places(int i) const {
        return p.places.part(p.places_of[i].first, p.places_of[i].count);
    }
    constexpr bool is_computed(int i) const { return i >= p.about.start && !is_leaf(g[i].kind); }
    constexpr bool stores(planned_block const& b, int i) const {
        for (block_store const& s : p.stores.part(b.stores.first, b.stores.count))
            if (s.node == i)
                return true;
        return false;
    }

    /// Definitions, gradients and next states that are copies have their names. Numbers go to other values
    /// that a block stores, and to those that are used twice, or more often if they are a cheap function of
    /// what has a name.
    constexpr void find_names() {
        list<int> uses(g.size());
        list<bool> live(g.size());
        for (wanted_value const& w : p.wanted)
            live[w.node] = true;
        for (carried_pair const& pair : p.carried)
            live[pair.result] = true;
        for (int i = g.size() - 1; i >= p.about.start; --i)
            for (int o : g.operands_of(i)) {
                live[o] = live[o] || live[i];
                uses[o] += live[i];
            }
        for (definition const& d : g.definitions) // what is recomputed has no name
            if (d.kind != role::initial && (d.at >= p.about.start || saved.contains(d.at)))
                names.add_line(d);
        for (definition const& d : g.results) {
            bool const is_copy = d.kind == role::next && names.line_of[d.at] < 0;
            if ((d.kind == role::gradient || is_copy) && d.at >= p.about.start)
                names.add_line(d);
        }
        for (int i : saved)
            if (!is_leaf(g[i].kind) && names.line_of[i] < 0 && names.matrix_of_slice(i) < 0)
                add_number(i);
        for (int i = p.about.start; i < g.size(); ++i) {
            if (!live[i] || !is_in_blocks(g[i]) || g.is_matrix(i) || names.line_of[i] >= 0 ||
                (g[i].kind == op::repeat && has_short_text(names, g.operand(i))))
                continue;
            bool simple = g.is_cheap(i);
            for (int o : g.operands_of(i))
                simple = simple && (is_leaf(g[o].kind) || names.line_of[o] >= 0);
            if (!places(i).empty() || uses[i] > (simple ? 2 : 1))
                add_number(i);
        }
    }
    constexpr void add_number(int i) {
        names.add_line({.kind = role::gate, .called = -1, .at = i, .of = ++numbered});
    }
    constexpr void find_lines() {
        nodes_of_block.resize(p.blocks.size());
        for (int b = 0; b < p.blocks.size(); ++b) {
            list<bool> here(g.size());
            for (int i = p.about.start; i < g.size(); ++i)
                here[i] = is_in_blocks(g[i]) && !g.is_matrix(i) && stores(p.blocks[b], i);
            list<bool> line = here;
            for (int i = g.size() - 1; i >= p.about.start; --i)
                for (int o : g.operands_of(i))
                    if (here[i] && !here[o] && is_computed(o) && is_in_blocks(g[o]) && places(o).empty()) {
                        here[o] = true;
                        line[o] = names.line_of[o] >= 0;
                    }
            for (int i = p.about.start; i < g.size(); ++i)
                if (line[i])
                    nodes_of_block[b].push_back(i);
        }
    }
    /// Numbers rise from line to line.
    constexpr void number_in_order() {
        int last = 0;
        list<bool> done(g.size());
        auto const number = [&](int i) {
            int const line = names.line_of[i];
            if (line >= 0 && names.lines[line].called < 0 && !done[i])
                names.lines[line].of = ++last;
            done[i] = true;
        };
        for (int i : saved)
            number(i);
        for (task const& t : p.tasks)
            if (t.kind == task_kind::block)
                for (int i : nodes_of_block[t.block])
                    number(i);
            else if (t.accumulates())
                number(t.sum);
    }

    // Lines.

    constexpr text& out() { return names.out; }
    constexpr void write_width(int w) {
        width_sum sum;
        sum.add(p, w, 1);
        sum.write(out(), p);
    }
    /// [T B, units]
    constexpr void write_rows(bool time, bool row, int columns) {
        out() << '[' << (time ? "T B, " : row ? "B, " : "");
        if (columns == no_axis)
            out() << '1';
        else
            write_width(columns);
        out() << ']';
    }
    constexpr void write_matrix(int rows, int columns, int groups) {
        out() << '[';
        write_width(rows);
        out() << ", ";
        write_width(columns);
        out() << ']';
        write_groups(groups);
    }
    /// of a block-diagonal matrix
    constexpr void write_groups(int groups) {
        if (groups == no_axis)
            return;
        out() << " in ";
        write_width(groups);
        out() << (p.width_of(groups).kind == symbol::number ? " groups" : "");
    }
    /// `name = expression`, or the expression alone.
    constexpr void write_value(int i) {
        int const line = names.line_of[i];
        if (line >= 0) {
            names.result(names.lines[line]);
            out() << " = ";
            names.current = line;
        }
        names.expression(i);
        names.current = -1;
    }
    constexpr void write_product(task const& t) {
        bool const all = t.when != phase::loop && g[t.node].shape.time;
        int const left = g.operand(t.node), right = g.operand(t.node, 1);
        write_value(t.accumulates() ? t.sum : t.node);
        out() << " : ";
        write_rows(all, g[left].shape.row, g[left].shape.columns);
        out() << " x ";
        write_matrix(g[right].shape.rows, g[right].shape.columns, g[right].shape.groups);
    }
    constexpr void write_sum(task const& t) {
        write_value(t.node);
        out() << " : ";
        for (int k = 0; k < g[t.node].count; ++k) {
            out() << (k == 0 ? "" : " x ");
            axes const& s = g[g.operand(t.node, k)].shape;
            write_rows(s.time && t.when != phase::loop, s.row, s.columns);
        }
        write_groups(g[t.node].shape.groups);
        out() << (t.is_summed_stepwise() ? ", added to that of the steps before" : "");
    }
    constexpr void write_block(int k) {
        planned_block const& b = p.blocks[k];
        out() << "block of ";
        write_rows(b.time && b.when != phase::loop, b.row, b.columns);
        out() << '\n';
        for (int i : nodes_of_block[k]) {
            out() << "      ";
            write_value(i);
            out() << '\n';
        }
    }
    /// What is read of earlier sweeps: their values without a name first.
    constexpr void write_saved() {
        if (saved.empty())
            return;
        out() << "  saved\n";
        list<int> named;
        for (int i : saved)
            if (int const line = names.line_of[i]; line >= 0 && names.lines[line].called < 0) {
                out() << "    ";
                write_value(i);
                out() << '\n';
            } else
                named.push_back(i);
        for (int k = 0; k < named.size(); ++k) {
            out() << (k == 0 ? "    " : ", ");
            names.expression(named[k]);
        }
        out() << (named.empty() ? "" : "\n");
    }
    constexpr void write_phase(phase when, char const* heading) {
        bool first = true;
        for (task const& t : p.tasks) {
            if (t.when != when)
                continue;
            out() << (first ? heading : "") << "    ";
            first = false;
            if (t.kind == task_kind::block) {
                write_block(t.block);
                continue;
            }
            if (t.kind == task_kind::product)
                write_product(t);
            else
                write_sum(t);
            out() << '\n';
        }
        if (when == phase::loop)
            write_passes();
    }
    /// How often a step passes over matrix values of each width, and how many it reads and writes; and where
    /// it begins in the last pass of the step before.
    constexpr void write_passes() {
        for (int w = 0; w < p.widths.size(); ++w) {
            int passes = 0, read = 0, written = 0;
            for (task const& t : p.tasks) {
                if (t.when != phase::loop || t.kind != task_kind::block || !p.is_matrix(w) ||
                    p.blocks[t.block].columns != w)
                    continue;
                block_walk const walk(p, t.block);
                ++passes;
                read += walk.wide_loads();
                written += walk.wide_stores();
            }
            if (passes == 0)
                continue;
            out() << "    " << passes << (passes == 1 ? " pass over " : " passes over ");
            write_rows(false, true, w);
            out() << ": " << read << " read, " << written << " written";
            if (p.about.joined.block >= 0 && p.blocks[p.about.joined.block].columns == w)
                out() << "; " << passes - 1 << " where groups run by themselves: "
                      << read - block_walk(p, p.about.joined.first).wide_loads() << " read, " << written
                      << " written";
            out() << '\n';
        }
    }

    /// Which products a step by itself takes in another order every second time, and which of them no memory
    /// has.
    constexpr void write_steps() {
        list<int> moved, kept;
        for (int t = 0; t < p.tasks.size(); ++t) {
            if (p.odd[t] != t)
                moved.push_back(p.odd[t]);
            if (p.tasks[t].stays)
                kept.push_back(t);
        }
        if (moved.empty() && kept.empty())
            return;
        out() << "  a step by itself\n";
        write_products("    every second one: ", moved);
        write_products("    in registers, where it is short: ", kept);
    }
    constexpr void write_products(char const* heading, list<int> const& tasks) {
        for (int k = 0; k < tasks.size(); ++k) {
            out() << (k == 0 ? heading : ", ");
            names.expression(p.tasks[tasks[k]].node);
        }
        out() << (tasks.empty() ? "" : "\n");
    }

    /// What lies in a buffer: whole products whose parts are named too, products that are added to what lies
    /// there, concats and carried leaves are left out.
    constexpr bool is_worth_naming(int i) const {
        if (!is_computed(i) || g[i].kind == op::concat)
            return false;
        for (task const& t : p.tasks)
            if (t.accumulates() && t.node == i)
                return false;
        for (int k = i + 1; k < g.size() && g[i].kind == op::product; ++k)
            if (g[k].kind == op::slice && g.operand(k) == i && !places(k).empty())
                return false;
        return true;
    }
    constexpr void write_buffer(int k) {
        buffer const& b = p.buffers[k];
        out() << "    " << k + 1 << "  [";
        if (b.tape)
            out() << 'T';
        if (int const held = b.delay + (b.tape ? 0 : 1); held > 1 || (b.tape && held > 0))
            out() << (b.tape ? " + " : "") << held;
        out() << (b.tape || b.delay > 0 ? ", " : "") << (b.row ? "B, " : "");
        if (b.columns == no_axis)
            out() << '1';
        else
            write_width(b.columns);
        out() << (b.in_place ? "], in place" : "]") << (b.replayed ? ", of other steps computed again" : "");
        int held = 0;
        for (int i = p.about.start; i < g.size(); ++i)
            for (placement const& there : places(i))
                if (there.buffer == k && is_worth_naming(i)) {
                    out() << (held++ == 0 ? b.in_place || b.replayed ? ": " : "  " : ", ");
                    names.expression(i);
                }
        for (int before = 0; before < k; ++before)
            if (p.buffers[before].slot == b.slot) {
                out() << ", in the memory of " << before + 1;
                break;
            }
        out() << '\n';
    }

    constexpr void run() {
        find_names();
        find_lines();
        number_in_order();
        out() << (p.about.way == time_order::forward ? "forward\n" : "backward\n");
        write_saved();
        write_phase(phase::before, "  before the loop\n");
        write_phase(phase::loop, p.about.has_product_in_loop ? "  loop\n" : "  loop, without a product\n");
        write_phase(phase::after, "  after the loop\n");
        if (p.about.way == time_order::forward)
            write_steps();
        out() << "  memory\n";
        for (int k = 0; k < p.buffers.size(); ++k)
            write_buffer(k);
    }
};

} // namespace detail

/// The plan of a sweep over the graph g. It can be a constant expression.
constexpr text print_plan(plan_view p, graph_view g) {
    detail::plan_printer writer(p, g);
    writer.run();
    return writer.names.out;
}

namespace detail {
template <class Page>
struct printed_plan {
    static constexpr auto make() { return print_plan(plans<Page>::inference, plans<Page>::graph); }
};
template <class Page>
struct printed_gradient {
    static constexpr auto make() { return print_equations(plans<Page>::gradient); }
};
} // namespace detail

/// How a cell runs forward, with nothing kept for a gradient.
template <page Page>
constexpr auto print_plan() {
    return constant_of<detail::printed_plan<Page>>::value;
}
/// The equations and the gradients of all that they are given.
template <page Page>
constexpr auto print_gradient() {
    return constant_of<detail::printed_gradient<Page>>::value;
}

} // namespace sluice
