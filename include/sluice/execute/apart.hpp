// SPDX-License-Identifier: BSL-1.0
// apart: a loop in which every group of every row of the batch could be a cell by itself, as the heads of a
// gated delta rule are. Then each of them runs many time steps by itself: its matrices stay in the caches
// nearest to the processor, and threads take some of them each without waiting for one another.
//
//   for each group of each row, on some thread
//     for each time step
//       each block of the loop, of that group of that row
//
// So it is where all tasks of the loop are blocks, of matrix values of one kind in which vectors stand, of
// vectors that do, or of one number of each group, and no block takes numbers of two groups together. Between
// them may stand
//
//   a repeat or a fold    of the numbers of each group
//   a sum over time       of such matrix values: each row of the batch has one of its own, and these are
//                         added after the loop
//
// With repeats and folds a step has many short pieces, of a number or a vector for each group: a thread then
// does each of them for all of its groups of a row at once.
//
// Where the last block of a step and the first one of the next can be one (plan/joined.hpp), they are:
//
//   first, .., last and first of the next step, .., last and first of the next step, .., last
#pragma once

#include <algorithm>
#include <sluice/backend/standing.hpp>
#include <sluice/core/unwritten.hpp>
#include <sluice/execute/memory.hpp>
#include <sluice/execute/prepared_task.hpp>
#include <type_traits>
#include <vector>

namespace sluice {

/// The loop as prepared_tasks has it; `views` are the operands of blocks.
template <class S, class Kernels>
struct groups_loop {
    sweep_memory<S, Kernels> const& values;
    std::vector<strided_view<S>> const& views;
    std::vector<typename block_frame<S>::operand> const& operands;
    std::vector<std::size_t> const& counts;
    block_runner<S, Kernels> run_block;
    Kernels const& kernels;
};

template <class S, class Kernels>
class groups_apart {
public:
    using memory_type = sweep_memory<S, Kernels>;
    using task_type = prepared_task<S, Kernels>;
    using operand = typename block_frame<S>::operand;

    using pool_type = typename memory_type::pool_type;

    /// Looks at the tasks of the loop; `views` are the operands of blocks.
    void find(memory_type const& values, std::vector<task_type> const& tasks,
              std::vector<strided_view<S>> const& views, pool_type const& pool) {
        found_ = Kernels::is_host && values.batch > 0 && are_apart(values, tasks, views);
        if (!found_)
            sums_.clear();
        joins_ = found_ && is_own_arithmetic<S> && find_joined(values);
        for (row_sums& sum : sums_)
            sum.make_room(pool, detail::require_buffer(1, values.batch, sum.of.columns));
        batch_ = values.batch;
    }
    /// Before the first step.
    void begin_sums(Kernels const& kernels) {
        for (row_sums& sum : sums_)
            if constexpr (is_own_arithmetic<S>)
                kernels.clear(1, batch_ * sum.of.columns, sum.numbers.data(), batch_ * sum.of.columns);
            else
                std::ranges::fill(sum.numbers, wide(0));
    }
    /// Where the loop runs step by step: to a sum, rows [first, first + count) of time step t.
    void add_rows(Kernels const& kernels, task_type const& task, std::size_t t, std::size_t first,
                  std::size_t count) {
        for (row_sums& sum : sums_)
            for (std::size_t r = first; r < first + count && sum.to == task.c.data; ++r) {
                if constexpr (is_own_arithmetic<S>)
                    kernels.total(1, sum.of.columns, sum.of.at(t) + r * sum.of.row, sum.of.row,
                                  sum.numbers.data() + r * sum.of.columns, true);
                else
                    add_numbers(sum, t, r, 0, sum.of.columns);
            }
    }
    /// After the last one.
    void finish_sums(Kernels const& kernels) const {
        for (row_sums const& sum : sums_) {
            if constexpr (is_own_arithmetic<S>)
                kernels.total(batch_, sum.of.columns, sum.numbers.data(), sum.of.columns, sum.to, true);
            else
                round_total(sum);
        }
    }

    /// Of all rows; none of another loop.
    std::size_t groups() const { return found_ ? batch_ * groups_ : 0; }
    /// Time steps number [first, first + count) to be run, of all groups of all rows: each after
    /// `before(its number)`.
    template <class Before>
    void run(groups_loop<S, Kernels> const& of, std::size_t first, std::size_t count, Before const& before) {
        std::size_t const all = groups();
        auto const run_part = [&](std::size_t from, std::size_t number) {
            for (std::size_t k = from, at_once; k < from + number; k += at_once) {
                at_once = stands_.empty() ? 1 : std::min(from + number - k, groups_ - k % groups_);
                for (std::size_t g = k; g < k + at_once; ++g)
                    before(g);
                run_some(of, k, at_once, first, count);
            }
        };
        if constexpr (requires { of.kernels.divide(all, count, run_part); })
            of.kernels.divide(all, count * numbers_, run_part);
        else
            run_part(0, all);
    }
    /// Those of some groups of a row, from that number on.
    void run_some(groups_loop<S, Kernels> const& of, std::size_t number, std::size_t at_once,
                  std::size_t first, std::size_t count) {
        memory_type const& values = of.values;
        std::vector<operand> const& operands = of.operands;
        thread_local std::vector<operand> mine; // keeps its memory
        thread_local std::vector<std::size_t> offsets;
        std::size_t const r = number / groups_, g = number % groups_;
        std::size_t const all = operands.size();
        mine.resize(all + (joins_ ? joined_from_.size() : 0));
        std::ranges::copy(operands, mine.begin());
        offsets.resize(all);
        for (piece const& b : pieces_)
            for (std::size_t i = b.first; i < b.first + b.loads + b.stores; ++i) {
                offsets[i] = r * operands[i].row + (part_[i] == 0 ? 0 : operands[i].offset(g * part_[i]));
                mine[i].width = std::max<std::size_t>(part_[i] * at_once, 1);
            }
        for (std::size_t i = all; i < mine.size(); ++i)
            mine[i] = mine[joined_from_[i - all].number];
        auto const run = [&](piece const& b, operand const* its, std::size_t const* features) {
            standing matrices = b.matrices;
            matrices.groups = at_once;
            of.run_block(of.kernels, values.plan, b.number,
                         {.loads = its,
                          .stores = its + b.loads,
                          .rows = 1,
                          .columns = b.columns * at_once,
                          .piece = b.row_of_matrix > 0 ? b.row_of_matrix : b.columns * at_once,
                          .counts = features,
                          .matrices = matrices});
        };
        auto const place = [&](std::size_t i, std::size_t t) {
            return of.views[i].data == nullptr ? nullptr : of.views[i].at(t) + offsets[i];
        };
        for (std::size_t k = first; k < first + count; ++k) {
            std::size_t const t = values.step(k);
            bool const is_last = k + 1 == first + count;
            for (piece const& b : pieces_) {
                if (joins_ && k > first && &b == &pieces_.front())
                    continue; // it is done
                if (joins_ && !is_last && &b == &pieces_.back()) {
                    for (std::size_t i = 0; i < joined_from_.size(); ++i) {
                        auto const [number_of, is_next] = joined_from_[i];
                        mine[all + i].data = place(number_of, is_next ? values.step(k + 1) : t);
                    }
                    run(joined_, mine.data() + all, joined_counts_.data());
                    continue;
                }
                if (b.does == piece::sums) {
                    add_numbers(sums_[static_cast<std::size_t>(b.number)], t, r, g * b.columns,
                                at_once * b.columns);
                    continue;
                }
                if (b.does == piece::stands) {
                    stands_[static_cast<std::size_t>(b.number)].run(t, number, at_once);
                    continue;
                }
                for (std::size_t i = b.first; i < b.first + b.loads + b.stores; ++i)
                    mine[i].data = place(i, t);
                run(b, mine.data() + b.first, of.counts.data() + b.counts);
            }
        }
    }

private:
    using wide = arithmetic_of<S>;
    /// A sum over time of each row, in arithmetic.
    struct row_sums {
        strided_view<S> of;
        S* to; ///< where the sum of all rows is wanted
        std::conditional_t<is_own_arithmetic<S>, scratch<S, Kernels>, detail::unwritten<wide>> numbers{};

        void make_room([[maybe_unused]] pool_type const& pool, std::size_t count) {
            if constexpr (is_own_arithmetic<S>)
                numbers = scratch<S, Kernels>(pool, count);
            else
                numbers.resize(count);
        }
    };
    /// A repeat or a fold.
    struct standing_values {
        bool is_fold;
        standing how; ///< of all groups
        strided_view<S> a, c;

        void run(std::size_t t, std::size_t group, std::size_t count) const {
            auto const at = [t](strided_view<S> const& v) {
                return operand{v.at(t), v.row, v.width, v.group};
            };
            sluice::stand<S>(is_fold, how, group, count, at(a), at(c));
        }
    };
    /// What is done in a time step for a group.
    struct piece {
        enum { runs_block, sums, stands } does = runs_block;
        int number = 0;                               ///< of a block, or in sums_ or stands_
        std::size_t first = 0, loads = 0, stores = 0; ///< operands of a block
        std::size_t counts = 0;
        std::size_t columns = 0;       ///< of a group
        std::size_t row_of_matrix = 0; ///< numbers of matrix values that lie side by side
        standing matrices{};

        bool is_block(int of) const { return does == runs_block && number == of; }
    };
    bool found_ = false, joins_ = false;
    struct joined_operand {
        std::size_t number; ///< of an operand of the loop
        bool is_next;       ///< of the next step
    };
    piece joined_{};
    std::vector<joined_operand> joined_from_{}; ///< loads, then stores
    std::vector<std::size_t> joined_counts_{};  ///< as of a block_frame
    std::size_t batch_ = 0, groups_ = 0;
    std::size_t numbers_ = 0; ///< that a step computes for a group
    std::vector<piece> pieces_{};
    std::vector<row_sums> sums_{};
    std::vector<standing_values> stands_{};
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
        pieces_.clear();
        sums_.clear();
        stands_.clear();
        part_.assign(views.size(), 0);
        width_entry const& matrix = p.widths[kind];
        groups_ = p.extent(matrix.groups, values.n);
        numbers_ = 0;
        bool all = groups_ > 0;
        for (task_type const& t : tasks)
            if (t.what->when == phase::loop)
                all = all && add(values, t, kind, matrix, views);
        bool in_one_piece = true; // operands that have numbers of each group
        for (std::size_t i = 0; i < views.size(); ++i)
            in_one_piece = in_one_piece && (part_[i] == 0 || views[i].width >= views[i].columns);
        return all && (stands_.empty() || in_one_piece);
    }
    bool add(memory_type const& values, task_type const& t, int kind, width_entry const& matrix,
             std::vector<strided_view<S>> const& views) {
        plan_view const& p = values.plan;
        if (t.what->kind == task_kind::total)
            return add_sum(values, t, kind);
        if (t.what->kind == task_kind::repeat || t.what->kind == task_kind::fold)
            return add_standing(t);
        if (t.what->kind != task_kind::block)
            return false;
        planned_block const& b = p.blocks[t.what->block];
        block_walk const walk(p, t.what->block);
        bool const is_matrix = b.columns == kind;
        bool const is_vector =
            b.columns == matrix.rows || b.columns == matrix.columns || b.columns == matrix.groups;
        bool const fits = is_matrix ? !walk.waits_for_row() : is_vector && walk.is_elementwise();
        if (!fits || !b.row || t.columns % groups_ != 0)
            return false;
        std::size_t const columns = t.columns / groups_;
        pieces_.push_back({piece::runs_block, t.what->block, t.first, t.loads, t.stores, t.counts, columns,
                           t.of_matrices ? t.stands.columns : 0, t.stands});
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

    /// The joined block, if all of the loop is there.
    bool find_joined(memory_type const& values) {
        plan_view const& p = values.plan;
        joined_blocks const& of = p.about.joined;
        piece const &last = pieces_.back(), &first = pieces_.front();
        if (of.block < 0 || !values.keeps_steps() || !first.is_block(of.first) || !last.is_block(of.last))
            return false;
        joined_ = last;
        joined_.number = of.block;
        joined_from_.clear();
        for (std::size_t i = 0; i < last.loads; ++i)
            joined_from_.push_back({last.first + i, false});
        block_walk const walk(p, of.first);
        for (std::size_t i = 0; i < first.loads; ++i)
            if (!walk.loads[static_cast<int>(i)].is_wide())
                joined_from_.push_back({first.first + i, true});
        joined_.loads = joined_from_.size();
        for (std::size_t i = 0; i < last.stores; ++i)
            joined_from_.push_back({last.first + last.loads + i, false});
        for (std::size_t i = 0; i < first.stores; ++i)
            joined_from_.push_back({first.first + first.loads + i, true});
        joined_.stores = joined_from_.size() - joined_.loads;
        joined_counts_.clear();
        for (instruction const& i : block_walk(p, of.block).code)
            joined_counts_.push_back(p.features(i, values.n));
        return true;
    }
    bool add_sum(memory_type const& values, task_type const& t, int kind) {
        int const of = values.graph.operand(t.what->node);
        if (values.graph[of].shape.columns != kind || t.a.width < t.a.columns || t.c.width < t.c.columns)
            return false;
        std::size_t const columns = t.a.columns / groups_;
        pieces_.push_back(
            {.does = piece::sums, .number = static_cast<int>(sums_.size()), .columns = columns});
        sums_.push_back({t.a, t.c.data});
        numbers_ += columns;
        return true;
    }
    bool add_standing(task_type const& t) {
        if (!t.over_rows || t.stands.groups != groups_)
            return false;
        pieces_.push_back({.does = piece::stands, .number = static_cast<int>(stands_.size())});
        stands_.push_back({t.what->kind == task_kind::fold, t.stands, t.a, t.c});
        numbers_ += t.stands.matrix();
        return true;
    }
    /// Of all rows. nvcc loses its way in these loops inside of `if constexpr`.
    void round_total(row_sums const& sum) const {
        for (std::size_t k = 0, columns = sum.of.columns; k < columns; ++k) {
            wide all = 0;
            for (std::size_t r = 0; r < batch_; ++r)
                all += sum.numbers[r * columns + k];
            sum.to[k] = rounded<S>(all);
        }
    }
    /// Adds what some columns of row r have in time step t.
    static void add_numbers(row_sums& sum, std::size_t t, std::size_t r, std::size_t first,
                            std::size_t count) {
        S const* const from = sum.of.at(t) + r * sum.of.row + first;
        wide* const to = sum.numbers.data() + r * sum.of.columns + first;
        for (std::size_t k = 0; k < count; ++k)
            to[k] += widened(from[k]);
    }
};

} // namespace sluice
