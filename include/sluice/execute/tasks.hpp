// SPDX-License-Identifier: BSL-1.0
// The tasks of a plan, ready to be run: all that does not change from step to step is found once.
//
// The GRU, 7 steps of 4 rows, 3 inputs and 5 units. What is prepared, and what runs it:
//   x [W_r W_u W_n]   flat: the rows of all steps lie side by side     run_all(before): once, of 28 rows
//   h [R_r R_u]       a: [4, 5] in slot t of h   c: [4, 10] of a step  run_step(t): once a step, of 4 rows
//   r, v1             loads x W_r of step t, h R_r, b_r, h             the same, with the addresses of step t
//   u, n, next(h)     stores to slot t + 1 of h                        a step by itself: run(t), all of them
#pragma once

#include <algorithm>
#include <numeric>
#include <sluice/backend/kernels.hpp>
#include <sluice/backend/loop_frame.hpp>
#include <sluice/backend/sweep_program.hpp>
#include <sluice/execute/apart.hpp>
#include <sluice/execute/fixed_step.hpp>
#include <sluice/execute/memory.hpp>
#include <sluice/execute/multiply.hpp>
#include <sluice/execute/outer_products.hpp>
#include <sluice/execute/prepared_task.hpp>
#include <sluice/execute/rows.hpp>
#include <sluice/execute/transfer.hpp>
#include <sluice/execute/weights.hpp>
#include <sluice/execute/wide_sums.hpp>
#include <utility>

namespace sluice {

template <class S, class Kernels>
class prepared_tasks {
public:
    using memory_type = sweep_memory<S, Kernels>;
    using pool_type = typename memory_type::pool_type;

    prepared_tasks(memory_type const& memory, block_runner<S, Kernels> run_block, pool_type pool)
        : outers(memory, pool), values_(memory), run_block_(run_block), pool_(std::move(pool)) {}

    outer_products<S, Kernels> outers; ///< where they are wanted is said before `prepare`

    /// `read(node)` says where a value is read; only tasks that serve one of the wanted bits are run.
    void prepare(value_reader<S> read, weights<S, Kernels> const& matrices, unsigned wanted) {
        tasks_.clear();
        views_.clear();
        counts_.clear();
        outers.clear();
        plan_view const& p = values_.plan;
        tasks_.reserve(static_cast<std::size_t>(p.tasks.size()));
        views_.reserve(static_cast<std::size_t>(p.loads.size() + p.stores.size()));
        counts_.reserve(static_cast<std::size_t>(p.code.size()));
        std::size_t registers = kept_row_ = 0;
        for (task const& t : p.tasks)
            if ((t.serves & wanted) != 0) {
                prepared_task& next = tasks_.emplace_back();
                next.what = &t;
                if (t.kind == task_kind::block) {
                    prepare_block(t, next, read);
                    registers = std::max(registers, next.registers);
                    kept_row_ = std::max(kept_row_, padded(next.columns));
                } else
                    prepare_product(t, next, read, matrices);
            }
        orders_[1].clear(); // it keeps its memory, as all of these lists
        for (int const t : p.odd)
            for (std::size_t i = 0; i < tasks_.size(); ++i)
                if (tasks_[i].what == &p.tasks[t])
                    orders_[1].push_back(i);
        std::ranges::sort(orders_[0] = orders_[1]);
        operands_.resize(views_.size());
        for (std::size_t i = 0; i < views_.size(); ++i)
            operands_[i] = {views_[i].data, views_[i].row, views_[i].width, views_[i].group,
                            views_[i].number};
        apart_.find(values_, tasks_, views_, pool_);
        if (registers * kept_row_ > kept_.size())
            kept_ = scratch<S, Kernels>(pool_, registers * kept_row_);
    }

    bool has(phase now) const {
        return std::ranges::any_of(tasks_, [now](prepared_task const& t) { return t.what->when == now; });
    }
    /// The tasks of a phase, each for all time steps: at once, sums after `before_sum(task)`, or, where it
    /// reads what it wrote a step before or its rows do not lie side by side, step by step after
    /// `before_step(task, t)`. `after_task(task)` follows each.
    template <class BeforeStep, class BeforeSum, class AfterTask>
    void run_all(phase now, BeforeStep before_step, BeforeSum before_sum, AfterTask after_task) {
        backward_ = 1 - backward_;
        for (prepared_task const& task : tasks_) {
            if (task.what->when != now)
                continue;
            if (task.what->is_sum_over_time())
                before_sum(*task.what);
            if (!task.over_time)
                execute(task, 0, 1);
            else if (task.is_flat || task.what->is_sum_over_time())
                execute(task, 0, values_.steps);
            else
                for (std::size_t k = 0; k < values_.steps; ++k) {
                    std::size_t const t = values_.step(k);
                    before_step(*task.what, t);
                    execute(task, t, 1);
                }
            after_task(*task.what);
        }
    }
    /// How many groups of the loop run by themselves (execute/apart.hpp), or none.
    std::size_t groups() const { return apart_.groups(); }
    /// Before the first step of the loop: the sums that it adds to are zeros.
    void begin_sums() {
        wide_.clear();
        for (prepared_task const& task : tasks_)
            if (task.what->is_summed_stepwise())
                detail::for_sums_of(kernels(), task, outers.parts(task.first, task.loads),
                                    [&](S* to, std::size_t count, auto const&) {
                                        if constexpr (wide_sums<S, Kernels>::are_needed)
                                            wide_.begin(pool_, to, count);
                                        else
                                            kernels().clear(1, count, to, count);
                                    });
        apart_.begin_sums(kernels());
    }
    /// After the last step.
    void finish_sums() {
        if constexpr (wide_sums<S, Kernels>::are_needed)
            wide_.finish(kernels());
        apart_.finish_sums(kernels());
    }
    /// Steps number [first, first + count) of such a loop, of each group after `before(its number)`.
    template <class Before>
    void run_apart(std::size_t first, std::size_t count, Before const& before) {
        apart_.run(loop(), first, count, before);
    }
    /// The same of one group.
    void run_group(std::size_t number, std::size_t first, std::size_t count) {
        apart_.run_some(loop(), number, 1, first, count);
    }
    /// One time step of the loop. Sums over time take the rows that run.
    void run_step(std::size_t t, row_times const& rows) {
        backward_ = t % 2;
        for (prepared_task const& task : tasks_)
            if (task.what->is_summed_stepwise())
                rows.for_running(t, values_.batch, [&](std::size_t first, std::size_t last) {
                    add_rows(task, t, first, last - first);
                });
            else if (task.what->when == phase::loop)
                execute(task, t, 1);
    }

    /// The loop as one piece of work; false: its steps have to be run.
    bool run_loop(loop_runner<S, Kernels> with) const {
        std::vector<strided_view<S>> operands;
        std::vector<bool> are_stored;
        prepared_task const* first = nullptr;
        std::size_t piece = 0, tasks = 0;
        for (prepared_task const& task : tasks_) {
            if (task.what->when != phase::loop)
                continue;
            if (task.what->kind != task_kind::block || !task.over_rows || task.of_matrices)
                return false;
            first = first == nullptr ? &task : first;
            piece = std::gcd(piece, task.piece);
            ++tasks;
            for (std::size_t i = 0; i < task.loads + task.stores; ++i) {
                operands.push_back(views_[task.first + i]);
                are_stored.push_back(i >= task.loads);
            }
        }
        for (task const& t : values_.plan.tasks) // those that serve nothing wanted are missing here
            tasks -= t.when == phase::loop;
        if (first == nullptr || tasks != 0 || values_.steps == 0 || values_.batch == 0 || first->columns == 0)
            return false;
        loop_frame<S> const frame{
            .operands = operands,
            .are_stored = are_stored,
            .rows = values_.batch,
            .columns = first->columns,
            .piece = piece,
            .steps = values_.steps,
            .backward = values_.plan.about.way == time_order::backward,
            .count =
                [](void const* about, int block, int instruction) {
                    auto const& m = *static_cast<memory_type const*>(about);
                    return m.plan.features(m.plan.code[m.plan.blocks[block].code.first + instruction], m.n);
                },
            .about = &values_};
        return !overlapping_columns(frame) && with(kernels(), frame);
    }

    /// What a step asks of the kernels, if it is products and blocks that find all at the same places every
    /// second step: of even steps and of odd ones. False where it is not so.
    bool ask(ready_step<S, Kernels>& even, ready_step<S, Kernels>& odd) {
        if (!std::ranges::all_of(views_, &strided_view<S>::repeats) ||
            !std::ranges::all_of(tasks_, &prepared_task::repeats))
            return false;
        for (std::size_t t = 0; t < 2; ++t) {
            auto& of = t == 0 ? even : odd;
            of.begin(operands_);
            for (std::size_t const i : orders_[t])
                if (prepared_task const& task = tasks_[i]; task.what->kind == task_kind::product)
                    detail::multiply(of, task, t, task.over_rows ? values_.batch : 1, t);
                else
                    of.add(task.what->block,
                           frame_of(task, t, task.over_rows ? values_.batch : 1, of.operands(task.first)));
        }
        return true;
    }
    void run(ready_step<S, Kernels> const& step) const { step.run(kernels(), values_.plan, run_block_); }
    /// All tasks for one time step, in the order of even or of odd ones.
    void run(std::size_t t) {
        backward_ = t % 2;
        for (std::size_t const i : orders_[t % 2])
            execute(tasks_[i], t, 1);
    }

    /// Whether a step is the work of a fixed_step: one row, whose operands lie side by side, in two places in
    /// turn at most.
    bool is_fixed_step() const {
        auto const lies_so = [](strided_view<S> const& v, std::size_t columns) {
            return v.data != nullptr && v.width >= columns && v.slot_count <= 2;
        };
        bool is_one = values_.batch == 1;
        for (prepared_task const& task : tasks_) {
            is_one = is_one && !task.of_matrices;
            if (task.what->kind == task_kind::block)
                for (std::size_t i = task.first; i < task.first + task.loads + task.stores; ++i)
                    is_one = is_one && lies_so(views_[i], std::min(views_[i].columns, task.columns));
            else
                is_one = is_one && task.what->kind == task_kind::product && task.matrix.groups == 1 &&
                         task.keys == 0 && lies_so(task.a, task.inner()) &&
                         lies_so(task.c, task.outer_columns());
        }
        return is_one && tasks_.size() == static_cast<std::size_t>(values_.plan.tasks.size());
    }
    /// The addresses of a fixed_step in time step t.
    std::vector<step_place<S>> places_at(std::size_t t) const {
        std::vector<step_place<S>> places;
        for (prepared_task const& task : tasks_)
            if (task.what->kind == task_kind::block)
                for (std::size_t i = task.first; i < task.first + task.loads + task.stores; ++i)
                    places.push_back({views_[i].at(t), i < task.first + task.loads ? 0 : views_[i].columns});
            else {
                places.push_back({task.a.at(t)});
                places.push_back({task.c.at(t), task.what->stays ? 0 : task.outer_columns()});
            }
        return places;
    }
    std::vector<typename Kernels::template matrix<S>> weights_of_products() const {
        std::vector<typename Kernels::template matrix<S>> all;
        for (prepared_task const& task : tasks_)
            if (task.what->kind == task_kind::product)
                all.push_back(task.weight);
        return all;
    }
    S* kept() const { return kept_.data(); }

private:
    using prepared_task = sluice::prepared_task<S, Kernels>;

    memory_type const& values_;
    block_runner<S, Kernels> run_block_;
    pool_type pool_;
    std::vector<prepared_task> tasks_{};
    std::array<std::vector<std::size_t>, 2> orders_{}; ///< of even steps and of odd ones
    std::vector<strided_view<S>> views_{};             ///< of the operands of blocks
    std::vector<typename block_frame<S>::operand> operands_{};
    std::vector<std::size_t> counts_{};
    groups_apart<S, Kernels> apart_{};
    wide_sums<S, Kernels> wide_{};
    scratch<S, Kernels> kept_{};
    std::size_t kept_row_ = 0;
    std::size_t backward_ = 0; ///< as of a matrix_part: in which direction products read their weights

    Kernels const& kernels() const { return pool_->kernels(); }
    auto loop() const {
        return groups_loop<S, Kernels>{values_, views_, operands_, counts_, run_block_, kernels()};
    }
    std::size_t width(int w) const { return values_.plan.offset(w, values_.n); }

    void prepare_block(task const& t, prepared_task& next, value_reader<S> read) {
        plan_view const& p = values_.plan;
        planned_block const& block = p.blocks[t.block];
        next.columns = next.piece = p.extent(block.columns, values_.n);
        next.over_time = block.time;
        next.over_rows = block.row;
        next.first = views_.size();
        next.loads = static_cast<std::size_t>(block.loads.count);
        next.stores = static_cast<std::size_t>(block.stores.count);
        next.registers = static_cast<std::size_t>(block.loads.count + block.code.count);
        next.is_flat = next.over_time && next.over_rows;
        if (block_walk(p, t.block).has_standing()) {
            next.find_matrices(p, block.columns, values_.n);
            next.piece = next.stands.columns;
        }
        auto const add = [&](strided_view<S> const& v, bool per_row, lies how) {
            views_.push_back(v);
            next.is_flat = next.is_flat && v.is_flat(values_.batch);
            next.require_whole(v, per_row, how);
            if (!per_row && how != lies::in_columns)
                next.piece = std::gcd(next.piece, v.width);
        };
        for (block_load const& load : p.loads.part(block.loads.first, block.loads.count)) {
            add(read(load.node), load.per_row, load.how);
            bool const follows_itself = values_.is_placed(load.node) &&
                                        values_.place_of(load.node).delay > 0 &&
                                        values_.writes(t, values_.place_of(load.node).buffer);
            next.is_flat = next.is_flat && !follows_itself;
        }
        for (block_store const& store : p.stores.part(block.stores.first, block.stores.count))
            add(values_.view_of_place(store.to, store.per_row                ? 1
                                                : store.how == lies::as_wide ? next.columns
                                                                             : values_.columns(store.node)),
                store.per_row, store.how);
        next.counts = counts_.size();
        for (instruction const& i : p.code.part(block.code.first, block.code.count))
            counts_.push_back(p.features(i, values_.n));
    }

    void prepare_product(task const& t, prepared_task& next, value_reader<S> read,
                         weights<S, Kernels> const& matrices) {
        graph_view const& g = values_.graph;
        bool const is_outer = t.kind == task_kind::outer;
        axes const rows = is_outer ? broadcast(g[g.operand(t.node)].shape, g[g.operand(t.node, 1)].shape)
                                   : g[g.operand(t.node)].shape;
        next.over_time = rows.time;
        next.over_rows = rows.row;
        next.a = read(g.operand(t.node));
        next.is_flat = rows.time && rows.row && next.a.is_flat(values_.batch);
        if (is_outer) {
            next.b = read(g.operand(t.node, 1));
            next.is_flat = next.is_flat && next.b.is_flat(values_.batch);
            next.matrix = extents_of(g, g[t.node].shape, values_.n);
            next.first = outers.place(t.node, next.matrix);
            next.loads = outers.size() - next.first;
            next.find_groups(next.matrix.rows, next.b, next.matrix.columns);
            return next.find_rows(values_.plan, g[g.operand(t.node)].shape.columns, next.b, values_.n);
        }
        next.c = values_.value(t.node);
        if (t.kind == task_kind::total)
            return;
        next.is_flat = next.is_flat && next.c.is_flat(values_.batch);
        if (t.kind == task_kind::repeat || t.kind == task_kind::fold)
            return next.find_standing(values_.graph, values_.plan, values_.n);
        next.weight = matrices.of(kernels(), t);
        next.matrix = matrices.extents(t);
        next.from = width(t.from) / next.matrix.groups;
        next.columns = t.columns == no_axis ? next.matrix.columns : width(t.columns) / next.matrix.groups;
        next.find_groups(next.inner(), next.c, next.outer_columns());
        next.find_rows(values_.plan, g[g.operand(t.node)].shape.columns, next.c, values_.n);
    }
    void execute(prepared_task const& task, std::size_t t, std::size_t count) {
        std::size_t const rows = task.over_rows ? count * values_.batch : 1;
        // By comparisons: a jump by a table would take a step of few units longer.
        if (task.what->kind == task_kind::block)
            execute_block(task, t, rows);
        else if (task.what->kind == task_kind::product)
            detail::multiply(kernels(), task, t, rows, backward_);
        else
            execute_other(task, t, rows);
    }
    [[gnu::noinline]] void execute_other(prepared_task const& task, std::size_t t, std::size_t rows) const {
        if (task.what->kind == task_kind::outer)
            multiply_outer(task, t, rows);
        else if (task.what->kind == task_kind::total) {
            task.require_flat();
            detail::sum_rows(kernels(), task, task.a.at(t), rows, task.c.at(t), false);
        } else
            task.stand(kernels(), t, rows);
    }

    void execute_block(prepared_task const& task, std::size_t t, std::size_t rows) {
        run_block_(kernels(), values_.plan, task.what->block,
                   frame_of(task, t, rows, operands_.data() + task.first));
    }
    /// Its operands are put there.
    block_frame<S> frame_of(prepared_task const& task, std::size_t t, std::size_t rows,
                            typename block_frame<S>::operand* operands) const {
        for (std::size_t i = 0; i < task.loads + task.stores; ++i)
            operands[i].data = views_[task.first + i].at(t);
        return task.frame(rows, operands, counts_.data(), kept_.data(), kept_row_);
    }

    void multiply_outer(prepared_task const& task, std::size_t t, std::size_t rows) const {
        task.require_flat();
        for (auto const& part : outers.parts(task.first, task.loads))
            detail::multiply_outer(kernels(), task, part.from, part.columns, part.to, t, 0, rows, false);
    }
    /// To sums over time, rows [first, first + rows) of time step t.
    void add_rows(prepared_task const& task, std::size_t t, std::size_t first, std::size_t rows) {
        if (task.what->kind == task_kind::total && groups() > 0)
            return apart_.add_rows(kernels(), task, t, first, rows);
        detail::for_sums_of(
            kernels(), task, outers.parts(task.first, task.loads), [&](S* to, std::size_t, auto const& make) {
                if constexpr (wide_sums<S, Kernels>::are_needed)
                    wide_.add(kernels(), to, [&](S* step) { make(step, t, first, rows, false); });
                else
                    make(to, t, first, rows, true);
            });
    }
};

} // namespace sluice
