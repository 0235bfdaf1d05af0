// SPDX-License-Identifier: BSL-1.0
// replayed: values of a forward run that are not kept but computed again, a part of the sequence at a time
// (plan/replay.hpp).
//
//   part_marks         of the forward run: what the loop carries, before the first step of each part
//   replayed_values    of the backward run: the values of one part
//
// The state S of a gated delta rule, 10 steps in parts of 4. The forward run keeps S before steps 0, 4 and 8.
// The backward run begins with step 9: it puts the mark of step 8 into the memory of a part, runs the second
// pass over S of steps 8 and 9 again, and reads S of both; at step 7 it goes to the mark of step 4.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <sluice/execute/carry.hpp>
#include <sluice/execute/tasks.hpp>

namespace sluice {

/// How many steps are a part, of so many numbers a step that have so many bytes each and are computed in so
/// many groups, one after the other: as many as a cache near the processor has room for, but no fewer than 8,
/// and so many that the marks of all parts have 64 MiB at most or no more than one part.
inline std::size_t steps_of_part(std::size_t steps, std::size_t numbers, std::size_t bytes,
                                 std::size_t groups) {
    constexpr double in_cache = 1024. * 1024, most = 64. * 1024 * 1024;
    double const all = std::max(1., static_cast<double>(steps)),
                 step = std::max(1., static_cast<double>(numbers) * static_cast<double>(bytes));
    double const fitting = std::max(8., std::floor(in_cache * static_cast<double>(groups) / step)),
                 even = std::ceil(std::sqrt(all));
    double const few = all / fitting * step <= most ? fitting : std::max(fitting, even);
    return static_cast<std::size_t>(std::min(all, few));
}

template <class S, class Kernels>
class part_marks {
public:
    using memory_type = sweep_memory<S, Kernels>;
    using pool_type = typename memory_type::pool_type;

    /// Parts of so many steps, or, of 0, as many as are best.
    part_marks(memory_type const& memory, pool_type const& pool, std::size_t steps)
        : values_(memory), pool_(pool), wanted_(steps) {}

    /// Called before each run. `groups`: how many groups run by themselves, or 0. A plan without such values
    /// has no parts.
    void start(std::size_t groups) {
        std::size_t numbers = 0;
        for (int b = 0; b < values_.plan.buffers.size(); ++b)
            if (values_.plan.buffers[b].replayed)
                numbers += values_.numbers_of_slot(b);
        if (numbers == 0)
            return;
        steps_ = std::min(
            wanted_ > 0 ? wanted_
                        : steps_of_part(values_.steps, numbers, sizeof(S), std::max<std::size_t>(groups, 1)),
            std::max<std::size_t>(values_.steps, 1));
        marks_.clear();
        std::size_t const parts = values_.steps / steps_ + (values_.steps % steps_ != 0);
        for (int b = 0; b < values_.plan.buffers.size(); ++b)
            if (buffer const& of = values_.plan.buffers[b]; of.replayed && of.delay > 0) {
                std::size_t const delay = static_cast<std::size_t>(of.delay);
                marks_.push_back({b, delay,
                                  scratch<S, Kernels>(pool_, detail::require_buffer(
                                                                 parts, delay, values_.numbers_of_slot(b)))});
            }
    }

    bool is_none() const { return steps_ == 0; }
    std::size_t steps() const { return steps_; }

    /// Before step t, when what the loop carries is what this step reads.
    void keep(std::size_t t) const {
        if (steps_ > 0 && t % steps_ == 0)
            for_marks(values_, t, [&](S* here, S* there, std::size_t count) { copy(here, there, count); });
    }
    /// Puts it into the memory of another run of these steps.
    void put(memory_type const& to, std::size_t t) const {
        for_marks(to, t, [&](S* here, S* there, std::size_t count) { copy(there, here, count); });
    }

private:
    struct mark {
        int buffer;
        std::size_t delay;
        scratch<S, Kernels> numbers; ///< [parts, delay, numbers of a slot]
    };
    memory_type const& values_;
    pool_type pool_;
    std::size_t wanted_, steps_ = 0;
    std::vector<mark> marks_{};

    void copy(S const* from, S* to, std::size_t count) const {
        pool_->kernels().copy(1, count, from, count, to, count);
    }
    template <class F>
    void for_marks(memory_type const& of, std::size_t t, F f) const {
        for (mark const& m : marks_)
            for (std::size_t late = 1; late <= m.delay; ++late) {
                std::size_t const count = of.numbers_of_slot(m.buffer);
                f(of.slot(m.buffer, t, late), m.numbers.data() + (t / steps_ * m.delay + late - 1) * count,
                  count);
            }
    }
};

/// The tasks of a forward plan that are run again, as a plan of their own.
class replaying_plan {
public:
    explicit replaying_plan(plan_view const& forward) {
        for (task const& t : forward.tasks)
            if (t.replays)
                tasks_.push_back(t);
        odd_.resize(tasks_.size());
        std::iota(odd_.begin(), odd_.end(), 0);
        made_ = forward;
        made_.tasks = {tasks_.data(), static_cast<int>(tasks_.size())};
        made_.odd = {odd_.data(), static_cast<int>(odd_.size())};
    }
    replaying_plan(replaying_plan const&) = delete;
    replaying_plan& operator=(replaying_plan const&) = delete;
    plan_view const& view() const { return made_; }

private:
    std::vector<task> tasks_{};
    std::vector<int> odd_{};
    plan_view made_{};
};

template <class S, class Kernels>
class replayed_values {
    replaying_plan plan_;
    part_marks<S, Kernels> const& marks_;

public:
    using memory_type = sweep_memory<S, Kernels>;
    using pool_type = typename memory_type::pool_type;

    /// Of a forward run that has ended, and lives longer.
    replayed_values(pool_type const& pool, sweep_program<S, Kernels> const& forward, memory_type const& kept,
                    part_marks<S, Kernels> const& marks, carried_values<S, Kernels> const& carried,
                    row_times const& rows)
        : plan_(forward.plan), marks_(marks), values(pool, kept, plan_.view(), marks.steps()),
          carried_(values, pool), tasks_(values, forward.run_block, pool) {
        carried.give_to(carried_);
        carried_.start(rows);
    }
    replayed_values(replayed_values const&) = delete;
    replayed_values& operator=(replayed_values const&) = delete;

    memory_type values; ///< where parameters are given before `prepare`

    void prepare(weights<S, Kernels> const& matrices) {
        tasks_.prepare([&](int node) { return carried_.read(node); }, matrices, ~0u);
    }
    std::size_t steps() const { return marks_.steps(); } ///< of a part
    /// Before step t of a run that goes backward: then the values of step t are there.
    void enter(std::size_t t) {
        if (!begin_part(t))
            return;
        if (groups() > 0)
            return tasks_.run_apart(first_, count_, [](std::size_t) {});
        for (std::size_t k = first_; k < first_ + count_; ++k) {
            carried_.enter(k);
            tasks_.run_step(k, {});
            carried_.leave(k);
        }
    }

    /// How many groups can be computed by themselves, or none.
    std::size_t groups() const { return carried_.is_plain() ? tasks_.groups() : 0; }
    /// The same of one group at a time: then `compute` gives those of one.
    void enter_groups(std::size_t t) { begin_part(t); }
    void compute(std::size_t group) { tasks_.run_group(group, first_, count_); }

private:
    carried_values<S, Kernels> carried_;
    prepared_tasks<S, Kernels> tasks_;
    std::size_t now_ = static_cast<std::size_t>(-1), first_ = 0, count_ = 0;

    /// Whether step t is of another part than the last one; then what it starts from is put there.
    bool begin_part(std::size_t t) {
        std::size_t const part = t / marks_.steps();
        if (part == std::exchange(now_, part))
            return false;
        first_ = part * marks_.steps();
        count_ = std::min(marks_.steps(), values.steps - first_);
        marks_.put(values, first_);
        return true;
    }
};

} // namespace sluice
