// SPDX-License-Identifier: BSL-1.0
// cost: what a plan has to compute, and to read and write. A multiplication and an addition in a product are
// two operations; a function of an element is one, whatever it takes to compute it.
//
//   loop of a GRU, for each step and row     6 H^2 in products, 11 H in functions
//   what a step must read                    3 H^2 weights, and for each row x W, h R and what blocks load
#pragma once

#include <sluice/plan/block_walk.hpp>
#include <sluice/plan/plans.hpp>

namespace sluice {

/// What one phase does for one time step and one row of the batch. Numbers, not bytes; as doubles, since they
/// may be more than an integer can count.
struct phase_cost {
    double products = 0;  ///< operations
    double functions = 0; ///< operations
    double reads = 0;     ///< numbers read from memory
    double writes = 0;    ///< numbers written to memory
    double weights =
        0; ///< numbers of matrices that are read once for all rows: in each step of the loop, outside it
           ///< once for the sequence
    double passes = 0;   ///< over matrix values
    double matrices = 0; ///< numbers of matrix values that these read and write
    double joined = 0;   ///< of these, what is not read where groups run by themselves (plan/joined.hpp)

    constexpr double flops() const { return products + functions; }
};

/// The cost of each phase of a plan, for one time step and one row.
struct plan_cost {
    phase_cost before{};
    phase_cost loop{};
    phase_cost after{};
    double once = 0; ///< operations on what has neither time nor rows: functions of parameters

    /// Operations for a sequence; of one step and one row where nothing is said.
    constexpr double flops(double steps = 1, double batch = 1) const {
        return once + steps * batch * (before.flops() + loop.flops() + after.flops());
    }
    /// Those in products, of one step and one row.
    constexpr double products() const { return before.products + loop.products + after.products; }
    /// Numbers that a step of the loop reads.
    constexpr double reads_of_step(double batch = 1) const { return loop.weights + batch * loop.reads; }
};

namespace detail {

struct cost_counter {
    plan_view p;
    graph_view g;
    sizes n;
    plan_cost result{};

    constexpr double extent(int w) const { return static_cast<double>(p.extent(w, n)); }
    constexpr phase_cost& of(phase when) {
        return when == phase::before ? result.before : when == phase::loop ? result.loop : result.after;
    }
    constexpr double numbers(int i) const {
        return extent(g[i].shape.columns) * (g.is_matrix(i) ? extent(g[i].shape.rows) : 1);
    }
    constexpr double blocks(int i) const {
        return g[i].shape.groups == no_axis ? 1 : extent(g[i].shape.groups);
    }
    /// How often a group of a matrix is multiplied with: once, or with each row of a matrix value.
    constexpr double rows_of_matrix(int left) const {
        if (!g.is_matrix_value(left))
            return 1;
        width_entry const& e = g.widths[g[left].shape.columns];
        return extent(e.rows) / extent(e.groups);
    }
    constexpr void count(task const& t) {
        if (t.kind == task_kind::block) {
            count(p.blocks[t.block], block_walk(p, t.block));
            return;
        }
        phase_cost& c = of(t.when);
        for (int o : g.operands_of(t.node))
            c.reads += g.is_matrix(o) ? 0 : numbers(o);
        if (t.kind == task_kind::product) {
            int const m = g.operand(t.node, 1);
            c.products += 2 * numbers(m) / blocks(m) * rows_of_matrix(g.operand(t.node));
            c.weights += numbers(m) / blocks(m);
            c.writes += numbers(t.node);
            c.reads += t.accumulates() ? numbers(t.node) : 0; // its additions are among those of the product
        } else if (t.kind == task_kind::outer) {
            c.weights += t.is_summed_stepwise() ? numbers(t.node) / blocks(t.node) : 0;
            c.products += 2 * numbers(t.node) / blocks(t.node) * rows_of_matrix(g.operand(t.node));
        } else
            c.functions += numbers(g.operand(t.node));
        if (is_standing(g[t.node].kind))
            c.writes += numbers(t.node);
    }
    constexpr void count(planned_block const& b, block_walk const& walk) {
        double const columns = extent(b.columns);
        bool const steady = !b.time && !b.row;
        phase_cost ignored{};
        phase_cost& c = steady ? ignored : of(b.when);
        double& functions = steady ? result.once : c.functions;
        for (block_load const& load : walk.loads)
            c.reads += load.per_row ? 1 : load.how == lies::as_wide ? columns : numbers(load.node);
        if (p.is_matrix(b.columns)) {
            ++c.passes;
            c.matrices += columns * (walk.wide_loads() + walk.wide_stores());
        }
        for (block_store const& store : walk.stores) {
            c.writes += store.per_row ? 1 : store.how == lies::as_wide ? columns : numbers(store.node);
            functions += store.how == lies::as_wide ? 0 : columns;
        }
        for (instruction const& i : walk.code)
            if (waits_for_row(i.kind))
                functions += columns;
            else if (kind_of(i) == instruction_kind::function)
                functions += i.per_row ? 1 : columns;
    }
};

} // namespace detail

constexpr plan_cost cost_of(plan_view p, graph_view g, sizes const& n) {
    detail::cost_counter counter{p, g, n};
    for (task const& t : p.tasks)
        counter.count(t);
    if (joined_blocks const& j = p.about.joined; j.block >= 0)
        counter.result.loop.joined =
            counter.extent(p.blocks[j.first].columns) * block_walk(p, j.first).wide_loads();
    return counter.result;
}

/// The cost of running a cell forward, without a tape; a constant expression. Throws `std::invalid_argument`
/// for sizes that the equations cannot have.
template <page Page>
constexpr plan_cost cost_of(sizes const& n) {
    if (problem const p = check_sizes(passes<Page>::checked, n))
        throw std::invalid_argument(describe(p, n));
    return cost_of(plans<Page>::inference, plans<Page>::graph, n);
}

/// Operations of one time step and one row of the batch.
template <page Page>
constexpr double flops(sizes const& n) {
    return cost_of<Page>(n).flops();
}

} // namespace sluice
