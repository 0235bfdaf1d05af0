// SPDX-License-Identifier: BSL-1.0
// Runs the plan of a sweep with the kernels of a backend:
//
//   before   each task for all time steps in one call
//   loop     t = 0 .. T-1, or T-1 .. 0: all tasks for one time step
//   after    as before
//
// What the host gives, and what it is to find after `finish`, is named by the host's addresses.
//
// It knows the equations only through values, so it is no template over them, and its functions stand outside
// the class, so that a backend can compile them once and spare every program their instantiation.
#pragma once

#include <sluice/execute/replayed.hpp>

namespace sluice {

template <class S, class Kernels>
class sweep_run {
    using kernels = checked_kernels<Kernels, S>;

public:
    using memory_type = sweep_memory<S, kernels>;
    using pool_type = typename memory_type::pool_type;
    using weights_type = weights<S, kernels>;

    sweep_run(pool_type const& pool, sweep_program<S, kernels> const& program, sizes const& n,
              std::size_t steps, std::size_t batch, memory_type const* earlier = nullptr,
              std::size_t steps_of_part = 0);
    sweep_run(sweep_run const&) = delete;
    sweep_run& operator=(sweep_run const&) = delete;
    ~sweep_run();

    memory_type values; ///< leaves that are in the backend's memory are given here

    using replayed_type = replayed_values<S, kernels>;
    /// What computes values of this run again, with the program and the rows that it had; none if all are
    /// kept.
    std::unique_ptr<replayed_type> replay(sweep_program<S, kernels> const& program,
                                          row_times const& rows) const;
    /// Reads those of the run before it there.
    void read_replayed(std::unique_ptr<replayed_type> from);
    replayed_type* replayed() const { return replayed_.get(); }

    /// Runs so many time steps next, not more than there is memory for; carried leaves are to be given again.
    void restart(std::size_t steps);
    /// The values of another leaf: [time, batch, columns] side by side, or with time steps so many rows
    /// apart.
    void give(int leaf, S const* from, std::size_t rows_apart = 0);
    /// The values of a carried leaf before the first step, and where those of the result after the last step
    /// are to be put: [batch, columns] side by side. Either may be null.
    void carry(int leaf, int result, S const* from, S* to) { carry(leaf, result, from, to, from); }
    /// The same; where a row restarts the leaf is `again`.
    void carry(int leaf, int result, S const* from, S* to, S const* again);
    /// Where the last step of the run before left the values of a carried leaf, if those that come next can
    /// start from there; otherwise null.
    S const* left(int leaf) const;

    /// to[..] = a matrix that is made of outer products: asked for before `run`, it may be put there by it
    /// already.
    void expect_matrix(int node, S* to) { tasks_.outers.expect(node, to); }

    /// `wanted` has the bits of the wanted values that are wanted indeed.
    void run(weights_type const& matrices, row_times const& rows = {}, unsigned wanted = ~0u);

    /// Hands on the results of outer products, of which the gradients of parameters are made.
    void give_outer_products(typename weights_type::values_type& matrices);

    /// to[t, r, :] = the value of a node; zeros in rows after their end. Time steps may be so many rows
    /// apart, and rows so many numbers; of 0 they lie side by side.
    void copy_out(int node, S* to, std::size_t rows_apart = 0, std::size_t row = 0);
    /// to[:] = the value of a node that has neither time nor rows.
    void copy_constant(int node, S* to);
    /// to[..] = a matrix that is made of outer products.
    void make_matrix(typename weights_type::values_type& matrices, int node, S* to);
    /// Waits until the host can read all that it was to be given.
    void finish();

private:
    pool_type pool_;
    transfers<S, kernels> sent_;
    carried_values<S, kernels> carried_;
    prepared_tasks<S, kernels> tasks_;
    part_marks<S, kernels> marks_;
    std::unique_ptr<replayed_type> replayed_{};
    loop_runner<S, kernels> run_loop_;
    row_times rows_{};

    strided_view<S> sequence(S* data, std::size_t columns, std::size_t rows_apart, std::size_t row = 0) const;
    /// Runs a loop of so many steps whose groups are independent: one part of the groups after the other.
    /// Values that are recomputed for a group are read while they are in the caches.
    void run_apart(std::size_t steps);
};

template <class S, class Kernels>
sweep_run<S, Kernels>::sweep_run(pool_type const& pool, sweep_program<S, kernels> const& program,
                                 sizes const& n, std::size_t steps, std::size_t batch,
                                 memory_type const* earlier, std::size_t steps_of_part)
    : values(pool, program.graph, program.plan, n, steps, batch, earlier), pool_(pool), sent_(pool),
      carried_(values, pool), tasks_(values, program.run_block, pool), marks_(values, pool, steps_of_part),
      run_loop_(program.run_loop) {}
template <class S, class Kernels>
sweep_run<S, Kernels>::~sweep_run() = default;

template <class S, class Kernels>
auto sweep_run<S, Kernels>::replay(sweep_program<S, kernels> const& program, row_times const& rows) const
    -> std::unique_ptr<replayed_type> {
    if (marks_.is_none())
        return nullptr;
    return std::make_unique<replayed_type>(pool_, program, values, marks_, carried_, rows);
}
template <class S, class Kernels>
void sweep_run<S, Kernels>::read_replayed(std::unique_ptr<replayed_type> from) {
    replayed_ = std::move(from);
    values.replayed = replayed_ ? &replayed_->values : nullptr;
}

template <class S, class Kernels>
void sweep_run<S, Kernels>::restart(std::size_t steps) {
    values.steps = steps;
    carried_.clear();
    sent_.forget_given();
}

template <class S, class Kernels>
strided_view<S> sweep_run<S, Kernels>::sequence(S* data, std::size_t columns, std::size_t rows_apart,
                                                std::size_t row) const {
    auto made = strided_view<S>::dense(data, values.batch, columns, true);
    if (row > 0)
        made.row = row;
    made.time = (rows_apart > 0 ? rows_apart : values.batch) * made.row;
    return made;
}

template <class S, class Kernels>
void sweep_run<S, Kernels>::give(int leaf, S const* from, std::size_t rows_apart) {
    std::size_t const columns = values.columns(leaf);
    S* const there = sent_.give(from, values.steps * values.batch * columns);
    values.give(leaf, sequence(there, columns, rows_apart));
}

template <class S, class Kernels>
void sweep_run<S, Kernels>::carry(int leaf, int result, S const* from, S* to, S const* again) {
    std::size_t const count = values.batch * values.columns(leaf);
    S const* const first = from == nullptr ? nullptr : sent_.give(from, count);
    carried_.add(leaf, result, first, to == nullptr ? nullptr : sent_.expect(to, count),
                 again == from      ? first
                 : again == nullptr ? nullptr
                                    : sent_.give(again, count));
}

template <class S, class Kernels>
S const* sweep_run<S, Kernels>::left(int leaf) const {
    if (!values.in_place || !values.is_placed(leaf) ||
        !values.plan.buffers[values.place_of(leaf).buffer].in_place)
        return nullptr;
    auto const there = values.value(leaf);
    return there.is_dense() ? there.data : nullptr;
}

template <class S, class Kernels>
void sweep_run<S, Kernels>::run(weights_type const& matrices, row_times const& rows, unsigned wanted) {
    rows_ = rows;
    values.in_place = kernels::is_host && rows.lengths.empty();
    carried_.start(rows);
    tasks_.prepare([&](int node) { return carried_.read(node); }, matrices, wanted);
    std::size_t const groups = carried_.is_plain() ? tasks_.groups() : 0;
    marks_.start(groups);
    if (replayed_)
        replayed_->prepare(matrices);
    auto const before_step = [&](task const& now, std::size_t t) { carried_.follow(now, t); };
    auto const before_sum = [&](task const& sum) {
        for (int const node : values.graph.operands_of(sum.node))
            carried_.clear_after_ends(node);
    };
    auto const after_task = [&](task const& done) { carried_.follow(done); };
    tasks_.run_all(phase::before, before_step, before_sum, after_task);
    std::size_t const steps = tasks_.has(phase::loop) ? values.steps : 0;
    bool is_done = false;
    tasks_.begin_sums();
    if constexpr (!kernels::is_host) // where nothing is done between the steps
        is_done = marks_.is_none() && !replayed_ && run_loop_ != nullptr && steps > 0 &&
                  rows.lengths.empty() && rows.resets.empty() && tasks_.run_loop(run_loop_);
    if (!is_done && groups > 0)
        run_apart(steps);
    else if (!is_done)
        detail::ask_as_one(pool_->kernels(), [&] {
            for (std::size_t k = 0; k < steps; ++k) {
                std::size_t const t = values.step(k);
                if (replayed_)
                    replayed_->enter(t);
                carried_.enter(t);
                marks_.keep(t);
                tasks_.run_step(t, rows);
                carried_.leave(t);
            }
        });
    tasks_.finish_sums();
    tasks_.run_all(phase::after, before_step, before_sum, after_task);
    carried_.finish();
    carried_.keep(values);
}

template <class S, class Kernels>
void sweep_run<S, Kernels>::run_apart(std::size_t steps) {
    std::size_t const part = replayed_ ? replayed_->steps() : marks_.is_none() ? steps : marks_.steps();
    for (std::size_t k = 0, count = 0; k < steps; k += count) {
        std::size_t const t = values.step(k);
        count = std::min(steps - k, values.plan.about.way == time_order::forward ? part : t % part + 1);
        marks_.keep(t);
        bool const by_groups = replayed_ && replayed_->groups() == tasks_.groups();
        if (by_groups)
            replayed_->enter_groups(t);
        else if (replayed_)
            replayed_->enter(t);
        tasks_.run_apart(k, count, [&](std::size_t group) {
            if (by_groups)
                replayed_->compute(group);
        });
    }
}

template <class S, class Kernels>
void sweep_run<S, Kernels>::give_outer_products(typename weights_type::values_type& matrices) {
    tasks_.outers.give(matrices, sent_);
}

template <class S, class Kernels>
void sweep_run<S, Kernels>::copy_out(int node, S* to, std::size_t rows_apart, std::size_t row) {
    auto const from = values.kept_value(node);
    S* const there = sent_.expect(to, values.steps * values.batch * from.columns);
    auto const target = sequence(there, from.columns, rows_apart, row);
    auto const& with = pool_->kernels();
    if (from.is_flat(values.batch) && target.is_flat(values.batch) &&
        values.steps > 0) // all steps are rows of one matrix
        detail::copy_rows(with, from, from.at(0), target, there, 0, values.steps * values.batch);
    else
        for (std::size_t t = 0; t < values.steps; ++t)
            detail::copy_rows(with, from, from.at(t), target, target.at(t), 0, values.batch);
    for (std::size_t r = 0; r < rows_.lengths.size(); ++r) {
        std::size_t const end = rows_.lengths[r];
        if (end < values.steps)
            with.clear(values.steps - end, from.columns, target.at(end) + r * target.row, target.time);
    }
}

template <class S, class Kernels>
void sweep_run<S, Kernels>::copy_constant(int node, S* to) {
    auto const from = values.value(node);
    S* const there = sent_.expect(to, from.columns);
    detail::copy_rows(pool_->kernels(), from, from.at(0), strided_view<S>::constant(there, from.columns),
                      there, 0, 1);
}

template <class S, class Kernels>
void sweep_run<S, Kernels>::make_matrix(typename weights_type::values_type& matrices, int node, S* to) {
    auto const numbers = numbers_with<S>(pool_->kernels());
    std::size_t const count = matrices.count(node);
    if constexpr (makes_matrices<kernels, S>)
        numbers.arrange(1, count, 1, strided<arithmetic_of<S> const>{matrices.make(node, numbers), 0, 1},
                        strided<arithmetic_of<S> const>{}, false, strided<S>{sent_.expect(to, count), 0, 1},
                        false);
    else if constexpr (is_own_arithmetic<S>)
        matrices.make_at(node, to, numbers);
    else
        convert_n(matrices.make(node, numbers), count, to);
}

template <class S, class Kernels>
void sweep_run<S, Kernels>::finish() {
    sent_.finish();
}

} // namespace sluice
