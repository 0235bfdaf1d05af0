// SPDX-License-Identifier: BSL-1.0
// Runs the plan of a sweep with the kernels of a backend. It knows the equations only through values, so it is no
// template over them:
//
//   before   each task for all time steps in one call
//   loop     t = 0 .. T-1, or T-1 .. 0: all tasks for one time step
//   after    as before
//
// With lengths, row r of the batch ends after lengths[r] steps. A sweep that runs forward holds it from then on; one that
// runs backward lets it carry zeros until its own last step, where it starts. The leaf of that step is then another value
// than the result of the step behind it, so that where both are read over time the leaf has memory of its own.
#pragma once

#include <numeric>
#include <sluice/lower/kernels.hpp>
#include <sluice/lower/matrices.hpp>
#include <sluice/lower/memory.hpp>
#include <span>

namespace sluice {

/// A sweep as the runner wants it.
template <class S>
struct sweep_program {
    graph_view graph{};
    plan_view plan{};
    block_runner<S> run_block = nullptr;
};

template <class S, class Kernels>
    requires(require_kernels<Kernels, S>())
class sweep_run {
    using memory = sweep_memory<S>;

public:
    sweep_run(std::shared_ptr<memory_pool<S>> const& pool, sweep_program<S> const& program, sizes const& n,
              std::size_t steps, std::size_t batch, memory const* earlier = nullptr)
        : values(pool, program.graph, program.plan, n, steps, batch, earlier), run_block_(program.run_block),
          pool_(pool) {}

    memory values; ///< leaves are given here

    /// The values of a carried leaf before the first step, [batch, columns] side by side, and where those after the
    /// last step are to be put; either may be null.
    void carry(int leaf, int result, S const* from, S* to) {
        carried_.push_back({leaf, result, from, to, values.is_placed(leaf)});
    }

    /// `wanted` has the bits of the wanted values that are wanted indeed.
    void run(matrix_values<S> const& matrices, std::span<std::size_t const> lengths = {},
             unsigned wanted = ~0u) {
        lengths_ = lengths;
        prepare(matrices, wanted);
        for (carried_value& c : carried_)
            if (c.is_placed)
                start(c);
        run_all(phase::before);
        for (std::size_t k = 0; k < values.steps && has_loop_; ++k) {
            std::size_t const t = forward() ? k : values.steps - 1 - k;
            enter_rows(t);
            for (prepared_task& task : tasks_)
                if (task.what->when == phase::loop)
                    execute(task, t, 1);
            clear_entered_rows(t);
            leave_rows(t);
        }
        run_all(phase::after);
        for (carried_value const& c : carried_)
            finish(c);
    }

    /// Hands on the results of outer products, of which the gradients of parameters are made.
    void give_outer_products(matrix_values<S>& matrices) const {
        for (auto const& [node, result] : outers_)
            matrices.give(node, result.data());
    }

    /// to[t, r, :] = the value of a node; zeros in rows behind their end.
    void copy_out(int node, S* to) const {
        auto const from = values.value(node);
        auto const target = strided_view<S>::dense(to, values.batch, from.columns, true);
        for (std::size_t t = 0; t < values.steps; ++t)
            if (lengths_.empty())
                copy_rows(from, from.at(t), target, target.at(t), 0, values.batch);
            else
                for (std::size_t r = 0; r < values.batch; ++r) {
                    if (t < lengths_[r])
                        copy_rows(from, from.at(t), target, target.at(t), r, r + 1);
                    else
                        Kernels::clear(1, from.columns, target.at(t) + r * target.row, target.row);
                }
    }
    /// to[:] = the value of a node that has neither time nor rows.
    void copy_constant(int node, S* to) const {
        auto const from = values.value(node);
        copy_rows(from, from.at(0), strided_view<S>::constant(to, from.columns), to, 0, 1);
    }

private:
    struct carried_value {
        int leaf, result;
        S const* from;
        S* to;
        bool is_placed;            ///< the leaf is read, so it has to be given
        bool in_loop{};            ///< its result is computed step by step
        scratch<S> own{};          ///< of the leaf, where the results of other steps are not its values
        strided_view<S> history{}; ///< the leaf in it
    };
    struct prepared_task {
        task const* what = nullptr;
        bool over_time = false;
        bool over_rows = false;
        bool flat = false;                            ///< all time steps are rows of one matrix
        std::size_t first = 0, loads = 0, stores = 0; ///< block: its operands
        std::size_t counts = 0;                       ///< block: its part of counts_
        std::size_t columns = 1, piece = 1;
        strided_view<S> a{}, b{}, c{};
        S const* weight = nullptr;
        matrix_extents matrix{};
        std::size_t from = 0; ///< columns of a group of the weight: [from, from + columns)
        S* outer = nullptr;
    };
    using operand = typename block_frame<S>::operand;

    std::vector<carried_value> carried_{};
    std::vector<int> held_{}; ///< buffers that the loop carries
    std::vector<prepared_task> tasks_{};
    std::vector<strided_view<S>> views_{}; ///< of the operands of blocks
    std::vector<operand> operands_{};
    std::vector<std::size_t> counts_{};
    std::vector<std::pair<int, scratch<S>>> outers_{};
    std::span<std::size_t const> lengths_{};
    scratch<S> kept_{};
    std::size_t kept_row_ = 0;
    bool has_loop_ = false;
    block_runner<S> run_block_;
    std::shared_ptr<memory_pool<S>> pool_;

    bool forward() const { return values.plan.about.way == direction::forward; }
    std::size_t length(std::size_t r) const { return lengths_.empty() ? values.steps : lengths_[r]; }
    std::size_t width(int w) const { return values.plan.offset(w, values.n); }

    /// Rows [first, last) of one time step.
    static void copy_rows(strided_view<S> const& from, S const* a, strided_view<S> const& to, S* c,
                          std::size_t first, std::size_t last) {
        for_common_pieces(from, to, [&](std::size_t in_a, std::size_t in_c, std::size_t count) {
            Kernels::copy(last - first, count, a + first * from.row + in_a, from.row,
                          c + first * to.row + in_c, to.row);
        });
    }

    // Preparing: all that does not change from step to step.

    void prepare(matrix_values<S> const& matrices, unsigned wanted) {
        tasks_.clear();
        views_.clear();
        counts_.clear();
        held_.clear();
        outers_.clear();
        prepare_carried();
        plan_view const& p = values.plan;
        std::size_t kept = 0;
        kept_row_ = 0;
        for (task const& t : p.tasks)
            if ((t.serves & wanted) != 0) {
                prepared_task& next = tasks_.emplace_back();
                next.what = &t;
                if (t.kind == task_kind::block)
                    prepare_block(t, next, kept);
                else
                    prepare_product(t, next, matrices);
            }
        operands_.assign(views_.size(), {});
        for (std::size_t i = 0; i < views_.size(); ++i)
            operands_[i] = {views_[i].data, views_[i].row, views_[i].width, views_[i].group};
        kept_ = scratch<S>(pool_, kept * kept_row_);
        has_loop_ = false;
        for (prepared_task const& t : tasks_)
            has_loop_ = has_loop_ || t.what->when == phase::loop;
        for (int b = 0; b < p.buffers.size() && forward(); ++b)
            if (p.buffers[b].delay > 0 && p.buffers[b].row && values.is_in_loop(b))
                held_.push_back(b);
    }

    void prepare_carried() {
        for (carried_value& c : carried_) {
            if (!c.is_placed)
                continue;
            int const buffer = values.place_of(c.leaf).buffer;
            std::size_t const columns = values.columns(c.leaf);
            c.in_loop = values.is_in_loop(buffer);
            c.own = {};
            c.history = {};
            if (forward() || lengths_.empty() || !values.plan.buffers[buffer].tape)
                continue;
            c.own = scratch<S>(
                pool_, detail::require_count("a buffer of values", {values.steps, values.batch, columns}));
            c.history = strided_view<S>::dense(c.own.data(), values.batch, columns, true);
        }
    }
    /// Where a task of that phase reads a node.
    strided_view<S> read(int node, phase when) const {
        graph_view const& g = values.graph;
        for (carried_value const& c : carried_) {
            int of = node;
            while (g[of].kind == op::slice)
                of = g.operand(of);
            if (of != c.leaf || c.history.data == nullptr || (c.in_loop && when == phase::loop))
                continue;
            if (of == node)
                return c.history;
            return read(g.operand(node), when)
                .part(values.plan.offset(g[node].from, values.n), values.columns(node),
                      values.plan.extent(g[node].groups, values.n));
        }
        return values.value(node);
    }

    void prepare_block(task const& t, prepared_task& next, std::size_t& kept) {
        plan_view const& p = values.plan;
        planned_block const& block = p.blocks[t.block];
        next.columns = block.columns == no_axis ? 1 : width(block.columns);
        next.over_time = block.time;
        next.over_rows = block.row;
        next.piece = next.columns;
        next.first = views_.size();
        next.loads = static_cast<std::size_t>(block.loads.count);
        next.stores = static_cast<std::size_t>(block.stores.count);
        next.flat = next.over_time && next.over_rows;
        auto const add = [&](strided_view<S> const& v, bool per_row) {
            views_.push_back(v);
            next.flat = next.flat && v.is_flat(values.batch);
            if (!per_row)
                next.piece = std::gcd(next.piece, v.width);
        };
        for (block_load const& load : p.loads.part(block.loads.first, block.loads.count))
            add(read(load.node, t.when), load.per_row);
        for (block_store const& store : p.stores.part(block.stores.first, block.stores.count))
            add(values.view_of_place(store.to, store.per_row ? 1 : next.columns), store.per_row);
        next.counts = counts_.size();
        for (instruction const& i : p.code.part(block.code.first, block.code.count))
            counts_.push_back(i.columns < 0 ? 0 : width(i.columns));
        kept = std::max(kept, static_cast<std::size_t>(block.loads.count + block.code.count));
        kept_row_ = std::max(kept_row_, padded(next.columns));
    }

    void prepare_product(task const& t, prepared_task& next, matrix_values<S> const& matrices) {
        graph_view const& g = values.graph;
        axes shape = g[t.kind == task_kind::product ? t.node : g.operand(t.node)].shape;
        if (t.kind == task_kind::outer)
            shape = broadcast(shape, g[g.operand(t.node, 1)].shape);
        next.over_time = shape.time;
        next.over_rows = shape.row;
        next.a = read(g.operand(t.node), t.when);
        next.flat = next.over_time && next.over_rows && next.a.is_flat(values.batch);
        if (t.kind == task_kind::outer) {
            next.b = read(g.operand(t.node, 1), t.when);
            next.flat = next.flat && next.b.is_flat(values.batch);
            next.matrix = extents_of(g, g[t.node].shape, values.n);
            auto& [node, result] = outers_.emplace_back(
                t.node, scratch<S>(pool_, detail::require_count(
                                              "an outer product",
                                              {next.matrix.groups, next.matrix.rows, next.matrix.columns})));
            next.outer = result.data();
            return;
        }
        next.c = values.value(t.node);
        if (t.kind == task_kind::total)
            return;
        next.flat = next.flat && next.c.is_flat(values.batch);
        next.weight = matrices.find(t.weight);
        if (next.weight == nullptr)
            throw std::logic_error(
                "sluice: a product of the plan multiplies with a matrix that was not made; "
                "this is a fault of the planner");
        next.matrix = extents_of(g, g[t.weight].shape, values.n);
        next.from = width(t.from) / next.matrix.groups;
        next.columns = t.columns == no_axis ? next.matrix.columns : width(t.columns) / next.matrix.groups;
    }

    // Tasks.

    void run_all(phase now) {
        for (prepared_task& task : tasks_) {
            if (task.what->when != now)
                continue;
            if (!task.over_time)
                execute(task, 0, 1);
            else if (task.flat || task.what->kind == task_kind::outer || task.what->kind == task_kind::total)
                execute(task, 0, values.steps);
            else
                for (std::size_t t = 0; t < values.steps; ++t)
                    execute(task, t, 1);
            follow(task);
        }
    }

    void execute(prepared_task& task, std::size_t t, std::size_t count) {
        std::size_t const rows = task.over_rows ? count * values.batch : 1;
        switch (task.what->kind) {
        case task_kind::block:
            return execute_block(task, t, rows);
        case task_kind::product:
            return multiply(task, t, rows);
        case task_kind::outer:
            return multiply_outer(task, t, rows);
        case task_kind::total:
            return sum(task, t, rows);
        }
    }

    void execute_block(prepared_task const& task, std::size_t t, std::size_t rows) {
        for (std::size_t i = task.first; i < task.first + task.loads + task.stores; ++i)
            operands_[i].data = views_[i].at(t);
        run_block_(values.plan, task.what->block,
                   {.loads = operands_.data() + task.first,
                    .stores = operands_.data() + task.first + task.loads,
                    .rows = rows,
                    .columns = task.columns,
                    .piece = task.piece,
                    .counts = counts_.data() + task.counts,
                    .kept = kept_.data(),
                    .kept_row = kept_row_});
    }

    /// c = a W or a W^T, group by group, and in pieces where a or c does not lie side by side.
    void multiply(prepared_task const& task, std::size_t t, std::size_t rows) const {
        S const* const a = task.a.at(t);
        S* const c = task.c.at(t);
        std::size_t const ldw = task.matrix.columns;
        std::size_t const inner = task.what->transposed ? task.columns : task.matrix.rows;
        std::size_t const outer = task.what->transposed ? task.matrix.rows : task.columns;
        for (std::size_t g = 0; g < task.matrix.groups; ++g) {
            S const* const w = task.weight + g * task.matrix.rows * ldw + task.from;
            task.a.for_pieces(g * inner, inner, [&](std::size_t k, std::size_t in_a, std::size_t k_count) {
                k -= g * inner;
                bool const add = task.what->accumulates || k > 0;
                task.c.for_pieces(
                    g * outer, outer, [&](std::size_t j, std::size_t in_c, std::size_t j_count) {
                        j -= g * outer;
                        if (task.what->transposed)
                            Kernels::product_transposed(rows, j_count, k_count, a + in_a, task.a.row,
                                                        w + j * ldw + k, ldw, c + in_c, task.c.row, add);
                        else
                            Kernels::product(rows, j_count, k_count, a + in_a, task.a.row, w + k * ldw + j,
                                             ldw, c + in_c, task.c.row, add);
                    });
            });
        }
    }

    /// a^T b over all rows, group by group.
    void multiply_outer(prepared_task const& task, std::size_t t, std::size_t rows) const {
        require_flat(task);
        std::size_t const height = task.matrix.rows, columns = task.matrix.columns;
        for (std::size_t g = 0; g < task.matrix.groups; ++g)
            task.a.for_pieces(g * height, height, [&](std::size_t i, std::size_t in_a, std::size_t i_count) {
                task.b.for_pieces(g * columns, columns,
                                  [&](std::size_t j, std::size_t in_b, std::size_t j_count) {
                                      Kernels::outer(i_count, j_count, rows, task.a.at(t) + in_a, task.a.row,
                                                     task.b.at(t) + in_b, task.b.row,
                                                     task.outer + i * columns + j - g * columns, columns);
                                  });
            });
    }

    void sum(prepared_task const& task, std::size_t t, std::size_t rows) const {
        require_flat(task);
        for_common_pieces(task.a, task.c, [&](std::size_t in_a, std::size_t in_c, std::size_t count) {
            Kernels::total(rows, count, task.a.at(t) + in_a, task.a.row, task.c.at(t) + in_c);
        });
    }
    void require_flat(prepared_task const& task) const {
        if (!task.flat && task.over_time)
            throw std::logic_error(
                "sluice: a sum over time of the plan reads what is not kept over time; this is a "
                "fault of the planner");
    }

    // What is carried.

    /// Puts the value that a carried leaf starts from where its first step reads it.
    void start(carried_value const& c) {
        auto const to = values.value(c.leaf);
        std::size_t const steps = values.steps, batch = values.batch;
        if (steps == 0)
            return;
        if (forward())
            return start_rows(c, to, 0, 0, batch);
        if (lengths_.empty())
            return start_rows(c, to, steps - 1, 0, batch);
        clear_rows(to, steps - 1, 0, batch); // rows that have ended carry zeros; each starts in its own step
    }
    static void clear_rows(strided_view<S> const& to, std::size_t t, std::size_t first, std::size_t last) {
        to.for_pieces(0, to.columns, [&](std::size_t, std::size_t offset, std::size_t count) {
            Kernels::clear(last - first, count, to.at(t) + first * to.row + offset, to.row);
        });
    }
    void start_rows(carried_value const& c, strided_view<S> const& to, std::size_t t, std::size_t first,
                    std::size_t last) const {
        if (c.from == nullptr)
            return clear_rows(to, t, first, last);
        auto const from = strided_view<S>::dense(const_cast<S*>(c.from), values.batch, to.columns, false);
        copy_rows(from, c.from, to, to.at(t), first, last);
    }
    /// Behind a task that does all time steps at once: the leaves that are delays of what it wrote.
    void follow(prepared_task const& task) const {
        for (carried_value const& c : carried_)
            if (c.history.data != nullptr && !c.in_loop &&
                values.writes(*task.what, values.place_of(c.leaf).buffer))
                for (std::size_t t = 0; t < values.steps; ++t)
                    record(c, t);
    }
    /// The values of a leaf in step t, for whoever reads it over time.
    void record(carried_value const& c, std::size_t t) const {
        auto const from = values.value(c.leaf);
        for (std::size_t r = 0; r < values.batch; ++r)
            if (t + 1 < length(r))
                copy_rows(from, from.at(t), c.history, c.history.at(t), r, r + 1);
            else if (t + 1 == length(r))
                start_rows(c, c.history, t, r, r + 1);
            else
                clear_rows(c.history, t, r, r + 1);
    }

    /// Before step t of a backward loop: the rows whose last step it is.
    void enter_rows(std::size_t t) const {
        if (forward() || lengths_.empty())
            return;
        for (carried_value const& c : carried_) {
            if (!c.in_loop)
                continue;
            if (c.history.data != nullptr)
                record(c, t);
            for (std::size_t r = 0; r < values.batch; ++r)
                if (length(r) == t + 1)
                    start_rows(c, values.value(c.leaf), t, r, r + 1);
        }
    }
    /// Behind it: the results of the step behind their last are zeros.
    void clear_entered_rows(std::size_t t) const {
        if (forward() || lengths_.empty())
            return;
        for (carried_value const& c : carried_)
            for (std::size_t r = 0; r < values.batch && c.in_loop && c.history.data != nullptr; ++r)
                if (length(r) == t + 1)
                    clear_rows(values.value(c.leaf), t, r, r + 1);
    }

    /// After step t of a forward loop: rows that have ended are held, and those that end now are finished.
    void leave_rows(std::size_t t) const {
        if (!forward() || lengths_.empty())
            return;
        for (std::size_t r = 0; r < values.batch; ++r) {
            if (t >= length(r))
                for (int const b : held_) {
                    auto const newest = values.view_of_buffer(b);
                    auto older = newest;
                    --older.shift;
                    copy_rows(older, older.at(t), newest, newest.at(t), r, r + 1);
                }
            for (carried_value const& c : carried_)
                if (length(r) == t + 1 && is_passing(c))
                    finish_rows(c, t, r, r + 1);
        }
    }
    /// Whether the result of a step is gone when the loop has ended.
    bool is_passing(carried_value const& c) const {
        return values.is_placed(c.result) && !values.plan.buffers[values.place_of(c.result).buffer].tape;
    }

    void finish(carried_value const& c) const {
        if (c.to == nullptr)
            return;
        std::size_t const steps = values.steps, batch = values.batch;
        if (forward() && lengths_.empty() && steps > 0)
            return finish_rows(c, steps - 1, 0, batch);
        for (std::size_t r = 0; r < batch; ++r)
            if (length(r) == 0)
                finish_untouched(c, r);
            else if (!forward())
                finish_rows(c, 0, r, r + 1);
            else if (!is_passing(c))
                finish_rows(c, length(r) - 1, r, r + 1);
    }
    void finish_rows(carried_value const& c, std::size_t t, std::size_t first, std::size_t last) const {
        auto const from = values.value(c.result);
        auto const to = strided_view<S>::dense(c.to, values.batch, from.columns, false);
        if (c.to != nullptr)
            copy_rows(from, from.at(t), to, c.to, first, last);
    }
    /// A row without steps ends as it starts.
    void finish_untouched(carried_value const& c, std::size_t r) const {
        std::size_t const columns = values.columns(c.leaf);
        if (c.from == nullptr)
            Kernels::clear(1, columns, c.to + r * columns, columns);
        else
            Kernels::copy(1, columns, c.from + r * columns, columns, c.to + r * columns, columns);
    }
};

} // namespace sluice
