// SPDX-License-Identifier: BSL-1.0
// apart: a loop in which every group of every row of the batch could be a cell by itself, as the heads of a
// gated delta rule are. Then each of them runs many time steps by itself: its matrices stay in the caches
// nearest to the processor, and threads take some of them each without waiting for one another.
//
//   for each group of each row, on some thread
//     for each time step
//       each block of the loop, of that group of that row
//
// So it is where all tasks of the loop are blocks, of matrix values of one kind in which vectors stand, or of
// vectors that do, and no block takes numbers of two groups together.
#pragma once

#include <algorithm>
#include <sluice/execute/memory.hpp>
#include <sluice/execute/prepared_task.hpp>
#include <vector>

namespace sluice {

template <class S, class Kernels>
class groups_apart {
public:
    using memory_type = sweep_memory<S, Kernels>;
    using task_type = prepared_task<S, Kernels>;
    using operand = typename block_frame<S>::operand;

    /// Looks at the tasks of the loop; `views` are the operands of blocks.
    void find(memory_type const& values, std::vector<task_type> const& tasks,
              std::vector<strided_view<S>> const& views) {
        found_ = Kernels::is_host && values.batch > 0 && are_apart(values, tasks, views);
    }
    bool is_found() const { return found_; }

    /// Time steps number [first, first + count) to be run, of all groups of all rows.
    void run(memory_type const& values, std::vector<strided_view<S>> const& views,
             std::vector<operand> const& operands, std::vector<std::size_t> const& counts,
             block_runner<S, Kernels> run_block, Kernels const& kernels, std::size_t first,
             std::size_t count) const {
        std::size_t const all = values.batch * groups_;
        auto const run_some = [&](std::size_t from, std::size_t number) {
            thread_local std::vector<operand> mine; // keeps its memory
            thread_local std::vector<std::size_t> offsets;
            for (std::size_t k = from; k < from + number; ++k)
                run_one(values, views, operands, counts, run_block, kernels, k, first, count, mine, offsets);
        };
        if constexpr (requires { kernels.divide(all, count, run_some); })
            kernels.divide(all, count * numbers_, run_some);
        else
            run_some(0, all);
    }

private:
    struct block {
        int number;
        std::size_t first, loads, stores; ///< its operands
        std::size_t counts;
        std::size_t columns, piece; ///< of a group
        standing matrices;          ///< of a group
    };
    bool found_ = false;
    std::size_t groups_ = 0;
    std::size_t numbers_ = 0; ///< that a step computes for a group
    std::vector<block> blocks_{};
    std::vector<std::size_t> part_{}; ///< of each operand: numbers of a group, or 0 for one number of the row

    bool are_apart(memory_type const& values, std::vector<task_type> const& tasks,
                   std::vector<strided_view<S>> const& views) {
        plan_view const& p = values.plan;
        int kind = no_axis;
        for (task_type const& t : tasks)
            if (t.what->when == phase::loop && t.of_matrices)
                kind = p.blocks[t.what->block].columns;
        if (kind == no_axis)
            return false;
        blocks_.clear();
        part_.assign(views.size(), 0);
        width_entry const& matrix = p.widths[kind];
        groups_ = p.extent(matrix.groups, values.n);
        numbers_ = 0;
        bool all = groups_ > 0;
        for (task_type const& t : tasks)
            if (t.what->when == phase::loop)
                all = all && add(values, t, kind, matrix, views);
        return all;
    }
    bool add(memory_type const& values, task_type const& t, int kind, width_entry const& matrix,
             std::vector<strided_view<S>> const& views) {
        plan_view const& p = values.plan;
        if (t.what->kind != task_kind::block)
            return false;
        planned_block const& b = p.blocks[t.what->block];
        block_walk const walk(p, t.what->block);
        bool const is_matrix = b.columns == kind;
        bool const is_vector = b.columns == matrix.rows || b.columns == matrix.columns;
        bool const fits = is_matrix ? !walk.waits_for_row() : is_vector && walk.is_elementwise();
        if (!fits || !b.row || t.columns % groups_ != 0)
            return false;
        std::size_t const columns = t.columns / groups_;
        blocks_.push_back({t.what->block, t.first, t.loads, t.stores, t.counts, columns,
                           t.of_matrices ? t.stands.columns : columns, t.stands});
        blocks_.back().matrices.groups = 1;
        numbers_ += columns * t.registers;
        for (std::size_t i = 0; i < t.loads + t.stores; ++i) {
            int const k = static_cast<int>(i < t.loads ? i : i - t.loads);
            bool const per_row = i < t.loads ? walk.loads[k].per_row : walk.stores[k].per_row;
            strided_view<S> const& v = views[t.first + i];
            if (per_row && i >= t.loads)
                return false;
            std::size_t const part = per_row ? 0 : v.columns / groups_;
            part_[t.first + i] = part;
            if (!per_row && (v.columns % groups_ != 0 ||
                             (v.width < v.columns && v.width % std::max<std::size_t>(part, 1) != 0)))
                return false;
        }
        return true;
    }

    void run_one(memory_type const& values, std::vector<strided_view<S>> const& views,
                 std::vector<operand> const& operands, std::vector<std::size_t> const& counts,
                 block_runner<S, Kernels> run_block, Kernels const& kernels, std::size_t number,
                 std::size_t first, std::size_t count, std::vector<operand>& mine,
                 std::vector<std::size_t>& offsets) const {
        std::size_t const r = number / groups_, g = number % groups_;
        mine = operands;
        offsets.resize(operands.size());
        for (block const& b : blocks_)
            for (std::size_t i = b.first; i < b.first + b.loads + b.stores; ++i) {
                offsets[i] = r * operands[i].row + (part_[i] == 0 ? 0 : operands[i].offset(g * part_[i]));
                mine[i].width = std::max<std::size_t>(part_[i], 1);
            }
        for (std::size_t k = first; k < first + count; ++k) {
            std::size_t const t = values.step(k);
            for (block const& b : blocks_) {
                for (std::size_t i = b.first; i < b.first + b.loads + b.stores; ++i)
                    mine[i].data = views[i].data == nullptr ? nullptr : views[i].at(t) + offsets[i];
                run_block(kernels, values.plan, b.number,
                          {.loads = mine.data() + b.first,
                           .stores = mine.data() + b.first + b.loads,
                           .rows = 1,
                           .columns = b.columns,
                           .piece = b.piece,
                           .counts = counts.data() + b.counts,
                           .matrices = b.matrices});
            }
        }
    }
};

} // namespace sluice
