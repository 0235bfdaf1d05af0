// SPDX-License-Identifier: BSL-1.0
// The memory of a sweep: its buffers, and where the value of each node lies: in them, in those of an earlier
// sweep, or in memory that is not its own.
//
// A buffer with delay D has a slot for each time step and D more for what the sweep starts from:
//
//   forward    the value of step t with delay d is in slot t + D - d   h before step 0: delay 1, slot D - 1
//   backward                              in slot t + d                of what comes after step T - 1: slot T
//
// One that is no tape uses D + 1 slots in turn; so do all when a sweep runs forward without an end.
#pragma once

#include <sluice/backend/strided.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/execute/pool.hpp>
#include <sluice/plan/block_walk.hpp>
#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

/// How many numbers [a, b, c] are; a function of its own, as nvcc 13 garbles such a list in a template.
inline std::size_t require_buffer(std::size_t a, std::size_t b, std::size_t c) {
    return require_count("a buffer of values", {a, b, c});
}

} // namespace detail

template <class S, class Kernels>
class sweep_memory {
public:
    using pool_type = std::shared_ptr<memory_pool<S, Kernels>>;

    /// `before` is the memory of the sweep whose values this one reads. With `on_and_on` it runs forward
    /// without an end, in the memory of one time step: `time` is 1 then.
    sweep_memory(pool_type const& pool, graph_view g, plan_view p, sizes const& extents, std::size_t time,
                 std::size_t rows, sweep_memory const* before = nullptr, bool on_and_on = false)
        : graph(g), plan(p), n(extents), steps(time), batch(rows), earlier(before), endless(on_and_on),
          in_place(on_and_on && Kernels::is_host), given_(static_cast<std::size_t>(g.size())),
          is_given_(given_.size()) {
        std::size_t widest = 1;
        for (node const& i : graph.nodes)
            widest = std::max(widest, plan.extent(i.shape.columns, n));
        zeros_ = scratch<S, Kernels>(pool, widest);
        pool->kernels().clear(1, widest, zeros_.data(), widest);
        allocate(pool);
    }
    /// Of tasks of the plan of `kept` that are run again: what they write has memory of its own here, for
    /// parts of so many steps where the plan says so, and all else lies where it was kept.
    sweep_memory(pool_type const& pool, sweep_memory const& kept, plan_view tasks, std::size_t part)
        : graph(kept.graph), plan(tasks), n(kept.n), steps(kept.steps), batch(kept.batch), earlier(nullptr),
          endless(false), in_place(false), kept_at_(&kept), part_(part), given_(kept.given_),
          is_given_(kept.is_given_) {
        is_written_.resize(given_.size());
        for (task const& t : plan.tasks)
            if (t.kind != task_kind::block)
                is_written_[static_cast<std::size_t>(t.node)] = true;
            else
                for (block_store const& s : block_walk(plan, t.block).stores)
                    is_written_[static_cast<std::size_t>(s.node)] = true;
        for (int b = 0; b < plan.buffers.size(); ++b) {
            data_.push_back(kept.data_[static_cast<std::size_t>(b)]);
            if (!writes(b))
                continue;
            std::size_t const count = detail::require_buffer(slots_of(b), 1, numbers_of_slot(b));
            blocks_.emplace_back(pool, count);
            numbers_ += count;
            data_.back() = blocks_.back().data();
        }
    }
    sweep_memory(sweep_memory const&) = delete;
    sweep_memory& operator=(sweep_memory const&) = delete;

    graph_view const graph;
    plan_view const plan;
    sizes const n;
    std::size_t steps; ///< of a run: as many as there is memory for, or fewer
    std::size_t const batch;
    sweep_memory const* const earlier;
    sweep_memory const* replayed = nullptr; ///< of `earlier`: where it computes values again
    bool const endless;
    bool in_place; ///< all rows of a run go on to its end: new states lie over old ones (plan/in_place.hpp)

    /// The time step that is number k to be run.
    std::size_t step(std::size_t k) const {
        return plan.about.way == time_order::forward ? k : steps - 1 - k;
    }

    std::size_t columns(int node) const { return plan.extent(graph[node].shape.columns, n); }

    /// Says where a leaf lies.
    void give(int leaf, strided_view<S> const& where) {
        given_[static_cast<std::size_t>(leaf)] = where;
        is_given_[static_cast<std::size_t>(leaf)] = 1;
    }

    /// Whether other steps than the newest are computed again where they are read.
    bool is_replayed(int node) const {
        return is_placed(node) && plan.buffers[place_of(node).buffer].replayed;
    }
    bool is_placed(int node) const { return plan.places_of[node].count > 0; }
    placement const& place_of(int node) const { return plan.places[plan.places_of[node].first]; }

    /// Where a value of so many columns lies in a buffer.
    strided_view<S> view_of_place(placement const& p, std::size_t columns) const {
        buffer const& b = plan.buffers[p.buffer];
        std::size_t const all = plan.extent(b.columns, n);
        std::size_t const groups = p.groups == no_axis ? 1 : plan.extent(p.groups, n);
        std::size_t const delay = static_cast<std::size_t>(b.delay), late = static_cast<std::size_t>(p.delay);
        bool const in_turn = is_in_turn(p.buffer);
        strided_view<S> v;
        v.data = data_[static_cast<std::size_t>(p.buffer)] + plan.offset(p.offset, n) / groups;
        v.time = in_turn && slots_of(p.buffer) == 1 ? 0 : rows(b) * all;
        v.row = b.row ? all : 0;
        v.columns = columns;
        v.width = std::max<std::size_t>(columns / groups, 1);
        v.group = all / groups;
        v.shift = plan.about.way == time_order::forward ? delay - late : late;
        v.slot_count = in_turn ? slots_of(p.buffer) : 0;
        return v;
    }
    /// What a buffer holds in step t of the result of so many steps before, and how many numbers that is.
    S* slot(int buffer, std::size_t t, std::size_t late) const {
        placement const whole{.buffer = buffer, .delay = static_cast<int>(late)};
        return view_of_place(whole, plan.extent(plan.buffers[buffer].columns, n)).at(t);
    }
    std::size_t numbers_of_slot(int buffer) const {
        return rows(plan.buffers[buffer]) * plan.extent(plan.buffers[buffer].columns, n);
    }

    /// Where the value of a node is read.
    strided_view<S> value(int i) const {
        node const& of = graph[i];
        if (is_given_[static_cast<std::size_t>(i)])
            return given_[static_cast<std::size_t>(i)];
        if (kept_at_ != nullptr && !is_replayed(i) && !is_written_[static_cast<std::size_t>(i)])
            return kept_at_->kept_value(i);
        if (is_placed(i))
            return view_of_place(place_of(i), columns(i));
        if (earlier != nullptr && i < plan.about.start && earlier->has(i))
            return replayed != nullptr && earlier->is_replayed(i) ? replayed->value(i)
                                                                  : earlier->kept_value(i);
        if (of.kind == op::slice)
            return columns_of(value(graph.operand(i)), i);
        if (of.kind == op::zero)
            return strided_view<S>::constant(zeros_.data(), columns(i));
        fail<std::logic_error>(
            {"the plan reads node ", i, ", which nothing gives or computes; this is a fault of the planner"});
    }
    /// Whether `value` knows it.
    bool has(int i) const {
        return is_given_[static_cast<std::size_t>(i)] || is_placed(i) || graph[i].kind == op::zero ||
               (graph[i].kind == op::slice && has(graph.operand(i))) ||
               (earlier != nullptr && i < plan.about.start && earlier->has(i));
    }

    /// What a slice, or a slice of a slice, is a part of.
    int whole_of(int i) const {
        while (graph[i].kind == op::slice)
            i = graph.operand(i);
        return i;
    }
    /// The columns of a value that a slice of it is.
    strided_view<S> columns_of(strided_view<S> const& whole, int slice) const {
        return whole.part(plan.offset(graph[slice].from, n), columns(slice),
                          plan.extent(graph[slice].groups, n));
    }

    /// Says where later sweeps read a leaf: not where the steps of this one do.
    void keep(int leaf, strided_view<S> const& where) { kept_.emplace_back(leaf, where); }
    void forget_kept() { kept_.clear(); }
    /// Where later sweeps read the value of a node.
    strided_view<S> kept_value(int i) const {
        for (auto const& [leaf, where] : kept_)
            if (whole_of(i) == leaf)
                return leaf == i ? where : columns_of(kept_value(graph.operand(i)), i);
        return value(i);
    }

    /// Whether a task writes into a buffer.
    bool writes(task const& t, int buffer) const { return sluice::writes(plan, t, buffer); }
    /// Whether any task writes into a buffer.
    bool writes(int buffer) const {
        return std::any_of(plan.tasks.begin(), plan.tasks.end(),
                           [&](task const& t) { return writes(t, buffer); });
    }
    /// Whether a buffer is written step by step.
    bool is_in_loop(int buffer) const { return sluice::is_in_loop(plan, buffer); }

    /// Whether tapes have a place for each step.
    bool keeps_steps() const { return !endless && kept_at_ == nullptr; }
    /// How many numbers all buffers have.
    std::size_t numbers() const { return numbers_; }

private:
    // Of tasks that are run again:
    sweep_memory const* kept_at_ = nullptr;
    std::size_t part_ = 0;
    std::vector<bool> is_written_{}; ///< each node

    std::vector<strided_view<S>> given_;
    std::vector<char> is_given_;
    std::vector<std::pair<int, strided_view<S>>> kept_{};
    std::vector<scratch<S, Kernels>> blocks_{};
    std::vector<S*> data_{}; ///< of each buffer
    scratch<S, Kernels> zeros_{};
    std::size_t numbers_ = 0;

    std::size_t rows(buffer const& b) const { return b.row ? batch : 1; }
    /// Whether time steps use the slots of a buffer in turn, and how many those are.
    bool is_in_turn(int b) const { return !plan.buffers[b].tape || !keeps_steps(); }
    std::size_t slots_of(int b) const {
        buffer const& of = plan.buffers[b];
        if (of.in_place && in_place)
            return 1;
        return static_cast<std::size_t>(of.delay) + (of.replayed && part_ > 0 ? part_ : 1);
    }

    void allocate(pool_type const& pool) {
        std::vector<std::size_t> needed;
        std::vector<std::size_t> block_of;
        std::vector<int> slot_of;
        for (int i = 0; i < plan.buffers.size(); ++i) {
            buffer const& b = plan.buffers[i];
            std::size_t const delay = static_cast<std::size_t>(b.delay);
            std::size_t const count = detail::require_buffer(b.tape ? steps + delay : delay + 1, rows(b),
                                                             plan.extent(b.columns, n));
            std::size_t block = needed.size();
            for (std::size_t k = 0; k < needed.size() && b.slot >= 0; ++k)
                if (slot_of[k] == b.slot)
                    block = k;
            if (block == needed.size()) {
                needed.push_back(0);
                slot_of.push_back(b.slot);
            }
            needed[block] = std::max(needed[block], count);
            block_of.push_back(block);
        }
        for (std::size_t const count : needed) {
            blocks_.emplace_back(pool, count);
            numbers_ += count;
        }
        for (std::size_t const block : block_of)
            data_.push_back(blocks_[block].data());
    }
};

} // namespace sluice
