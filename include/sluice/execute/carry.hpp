// SPDX-License-Identifier: BSL-1.0
// What a sweep carries from step to step: where it starts, how rows of the batch that end early are kept out,
// where rows restart, and where it ends.
//
// With lengths, row r of the batch ends after lengths[r] steps. A sweep that runs forward holds it from then
// on; one that runs backward lets it carry zeros until its own last step, where it starts.
//
// A row that restarts before step t has there, forward, what it had before step 0. Backward, it gives what
// it carries out of step t to what all its sequences start from, and carries zeros into step t - 1.
//
// What a row computes after its end may be no number, 0 / 0 of the zeros of its padding for instance. It
// reaches nothing: sums over time and rows, and sweeps that read the values of this one, find zeros there.
//
// In these steps the leaf is another value than the result of the step beside it. Where the results of all
// steps are kept, the leaf therefore has memory of its own.
//
// One row of 5 steps, of length 4, which restarts before step 2. Forward, its state h starts at a, and step t
// computes h'_t. Backward, g is the gradient of the state that step t gives, it starts at f, the gradient of
// the final state, and step t computes g'_t, the gradient of the state that it has read:
//
//   t   h that step t reads            t   g that step t reads
//   0   a          it starts           4   0        it has ended
//   1   h'_0       carried             3   f        it starts
//   2   a          it restarts         2   g'_3     carried
//   3   h'_2       carried             1   0        cut: g'_2 goes to a, not to step 1
//   4   h'_3       and h'_4 = h'_3     0   g'_1     carried
//
//   the final state is h'_3            the gradient of a is g'_0 + g'_2
#pragma once

#include <sluice/backend/kernels.hpp>
#include <sluice/execute/memory.hpp>
#include <sluice/execute/rows.hpp>

namespace sluice {
namespace detail {

/// c[rows first .. last) = a, of one time step each.
template <class Kernels, class S>
void copy_rows(Kernels const& kernels, strided_view<S> const& from, S const* a, strided_view<S> const& to,
               S* c, std::size_t first, std::size_t last) {
    bool const are_rows_of_both = from.columns == to.columns && from.is_dense() && to.is_dense();
    if (Kernels::is_host && are_rows_of_both) // one row, of all of them
        return kernels.copy(1, (last - first) * from.columns, a + first * from.row, 0, c + first * to.row, 0);
    for_common_pieces(from, to, [&](std::size_t in_a, std::size_t in_c, std::size_t count) {
        kernels.copy(last - first, count, a + first * from.row + in_a, from.row, c + first * to.row + in_c,
                     to.row);
    });
}
template <class Kernels, class S>
void clear_rows(Kernels const& kernels, strided_view<S> const& to, S* c, std::size_t first,
                std::size_t last) {
    to.for_pieces(0, to.columns, [&](std::size_t, std::size_t offset, std::size_t count) {
        kernels.clear(last - first, count, c + first * to.row + offset, to.row);
    });
}

} // namespace detail

template <class S, class Kernels>
class carried_values {
public:
    using memory_type = sweep_memory<S, Kernels>;
    using pool_type = typename memory_type::pool_type;

    carried_values(memory_type const& memory, pool_type pool) : values_(memory), pool_(std::move(pool)) {}

    /// The values of a leaf before the first step, of the result after the last, and of the leaf where a row
    /// restarts, [batch, columns]; null for zeros, and for what is not wanted.
    void add(int leaf, int result, S const* from, S* to, S const* again) {
        all_.push_back({leaf, result, from, to, again});
    }
    void clear() { all_.clear(); }
    /// To a run that computes values again: what starts and restarts there.
    void give_to(carried_values& other) const {
        for (value const& v : all_)
            if (values_.is_placed(v.leaf) && values_.is_replayed(v.leaf))
                other.add(v.leaf, v.result, v.from, nullptr, v.again);
    }

    /// Whether leaves are the results of the steps beside them in all rows, and all rows run to the end.
    bool is_plain() const { return rows_.lengths.empty() && !has_resets(); }
    /// Before all tasks.
    void start(row_times const& rows) {
        rows_ = rows;
        count_starts();
        for (value& v : all_) {
            if (v.is_read = values_.is_placed(v.leaf); v.is_read) {
                v.in_loop = values_.is_in_loop(buffer_of(v));
                allocate(v);
                if (values_.steps > 0)
                    start(v);
            }
            if (has_resets() && !forward() && v.to != nullptr) {
                v.starts = scratch<S, Kernels>(
                    pool_, detail::require_buffer(1, starts_.back(), values_.columns(v.leaf)));
                v.found.assign(values_.batch, 0);
            }
        }
    }

    /// Where tasks read a node.
    strided_view<S> read(int node) const {
        int const whole = values_.whole_of(node);
        for (value const& v : all_)
            if (whole == v.leaf && v.history.data != nullptr)
                return whole == node ? v.history
                                     : values_.columns_of(read(values_.graph.operand(node)), node);
        return values_.value(node);
    }

    /// Before step t of a task outside the loop that reads what it wrote a step before: those leaves.
    void follow(task const& now, std::size_t t) const {
        for (value const& v : all_)
            if (v.history.data != nullptr && !v.in_loop && values_.writes(now, buffer_of(v)))
                record(v, t);
    }
    /// After a task that did all time steps: the leaves that are delays of what it wrote.
    void follow(task const& done) const {
        for (std::size_t t = 0; t < values_.steps; ++t)
            follow(done, t);
    }
    /// Before step t of the loop: leaves are what they are in this step.
    void enter(std::size_t t) const {
        if (is_whole())
            return;
        for (value const& v : all_)
            if (v.in_loop && v.history.data != nullptr)
                record(v, t);
            else if (v.in_loop)
                for_rows(t, [&](origin from, std::size_t first, std::size_t last) {
                    if (from == origin::start || from == origin::cut)
                        put_rows(v, from, values_.value(v.leaf), t, first, last);
                });
    }
    /// After step t: forward, rows that have ended are held, and those that end now give their last values;
    /// backward, those that restart in this step give their gradients.
    void leave(std::size_t t) {
        if (!forward())
            return find_starts(t, [&](value const& v) { return is_passing(v); });
        for (std::size_t r = 0; r < values_.batch && !rows_.lengths.empty(); ++r) {
            if (t >= length(r))
                hold(t, r);
            for (value const& v : all_)
                if (length(r) == t + 1 && is_passing(v))
                    finish_rows(v, t, r, r + 1);
        }
    }
    /// Called after the last task.
    void finish() {
        for (std::size_t t = values_.steps; t-- > 1 && !forward();)
            find_starts(t, [&](value const& v) { return !is_passing(v); });
        for (value& v : all_)
            if (v.to != nullptr)
                finish(v);
    }
    /// Then later sweeps read the leaves where they lie over time, and zeros after the end of a row.
    void keep(memory_type& memory) const {
        memory.forget_kept();
        for (value const& v : all_)
            if (v.history.data != nullptr)
                memory.keep(v.leaf, v.history);
        if (!rows_.lengths.empty())
            for (int node = 0; node < memory.graph.size(); ++node)
                clear_after_ends(node);
    }
    /// Before a sum over time and rows: zeros after the end of a row, if this sweep computes the value.
    void clear_after_ends(int node) const {
        graph_view const& g = values_.graph;
        int const whole = values_.whole_of(node);
        if (rows_.lengths.empty() || !values_.is_placed(whole) || is_leaf(g[whole].kind) ||
            !g[whole].shape.row || !values_.plan.buffers[values_.place_of(whole).buffer].tape)
            return;
        auto const all = values_.value(node);
        for (std::size_t r = 0; r < values_.batch; ++r)
            if (std::size_t const end = length(r), count = values_.steps - end; count > 0)
                all.for_pieces(0, all.columns, [&](std::size_t, std::size_t offset, std::size_t columns) {
                    pool_->kernels().clear(count, columns, all.at(end) + r * all.row + offset, all.time);
                });
    }

private:
    struct value {
        int leaf, result;
        S const* from;
        S* to;
        S const* again;
        bool is_read = false;             ///< the leaf has a place, so it has to be there
        bool in_loop = false;             ///< its result is computed step by step
        scratch<S, Kernels> own{};        ///< memory of the leaf, where it is not that of the results
        strided_view<S> history{};        ///< the leaf in it
        scratch<S, Kernels> starts{};     ///< what rows give to what they start from: those of a row in turn
        std::vector<std::size_t> found{}; ///< how many of each row are there
    };
    /// What a leaf is in a step of a row.
    enum class origin {
        carried, ///< the result of the step beside it
        start,   ///< what the row starts from
        cut,     ///< zeros: backward, the row restarts in the step after it
        ended,   ///< zeros: backward, the row has ended
    };
    memory_type const& values_;
    pool_type pool_;
    std::vector<value> all_{};
    row_times rows_{};
    std::vector<std::size_t> starts_{}; ///< where those of each row lie; rows that start once have none

    bool forward() const { return values_.plan.about.way == time_order::forward; }
    bool has_resets() const { return !rows_.resets.empty(); }
    /// Whether leaves are the results of the steps beside them in all rows.
    bool is_whole() const { return !has_resets() && (forward() || rows_.lengths.empty()); }
    std::size_t length(std::size_t r) const {
        return rows_.lengths.empty() ? values_.steps : rows_.lengths[r];
    }
    int buffer_of(value const& v) const { return values_.place_of(v.leaf).buffer; }

    origin origin_of(std::size_t t, std::size_t r) const {
        if (forward())
            return rows_.starts_anew(t, r) ? origin::start : origin::carried;
        if (t + 1 >= length(r))
            return t + 1 == length(r) ? origin::start : origin::ended;
        return rows_.starts_anew(t + 1, r) ? origin::cut : origin::carried;
    }
    /// f(origin, first, last) for rows of one origin that lie side by side.
    template <class F>
    void for_rows(std::size_t t, F f) const {
        for (std::size_t first = 0, last = 0; first < values_.batch; first = last) {
            origin const from = origin_of(t, first);
            while (last < values_.batch && origin_of(t, last) == from)
                ++last;
            f(from, first, last);
        }
    }

    /// Counts how often rows start, if any restarts.
    void count_starts() {
        if (!has_resets())
            return;
        starts_.assign(1, 0);
        for (std::size_t r = 0; r < values_.batch; ++r) {
            std::size_t again = 0;
            for (std::size_t t = 0; t < values_.steps; ++t)
                again += rows_.starts_anew(t, r);
            starts_.push_back(starts_.back() + (again > 0 ? again + 1 : 0));
        }
        if (starts_.back() == 0)
            rows_.resets = {};
    }

    void allocate(value& v) const {
        v.own = {};
        v.history = {};
        if (is_whole() || !values_.plan.buffers[buffer_of(v)].tape)
            return;
        std::size_t const columns = values_.columns(v.leaf);
        std::size_t const count = detail::require_buffer(values_.steps, values_.batch, columns);
        v.own = scratch<S, Kernels>(pool_, count);
        v.history = strided_view<S>::dense(v.own.data(), values_.batch, columns, true);
    }

    /// Puts the values that a leaf starts from where its first step reads them.
    void start(value const& v) const {
        auto const to = values_.value(v.leaf);
        std::size_t const first = forward() ? 0 : values_.steps - 1;
        if (forward() || rows_.lengths.empty())
            start_rows(v.from, to, first, 0, values_.batch);
        else // all rows carry zeros; each starts in its own step
            clear_rows(to, first, 0, values_.batch);
    }
    void start_rows(S const* values, strided_view<S> const& to, std::size_t t, std::size_t first,
                    std::size_t last) const {
        if (values == nullptr)
            return clear_rows(to, t, first, last);
        if (values == to.at(t))
            return; // they are there
        auto const from = strided_view<S>::dense(const_cast<S*>(values), values_.batch, to.columns, false);
        detail::copy_rows(pool_->kernels(), from, values, to, to.at(t), first, last);
    }
    void clear_rows(strided_view<S> const& to, std::size_t t, std::size_t first, std::size_t last) const {
        detail::clear_rows(pool_->kernels(), to, to.at(t), first, last);
    }

    void put_rows(value const& v, origin from, strided_view<S> const& to, std::size_t t, std::size_t first,
                  std::size_t last) const {
        if (from == origin::start)
            start_rows(v.again, to, t, first, last);
        else
            clear_rows(to, t, first, last);
    }

    /// The values of a leaf in step t, for what reads it.
    void record(value const& v, std::size_t t) const {
        auto const here = values_.value(v.leaf);
        for_rows(t, [&](origin from, std::size_t first, std::size_t last) {
            if (from == origin::carried)
                detail::copy_rows(pool_->kernels(), here, here.at(t), v.history, v.history.at(t), first,
                                  last);
            else
                put_rows(v, from, v.history, t, first, last);
        });
    }

    void hold(std::size_t t, std::size_t r) const {
        for (value const& v : all_) {
            if (!v.is_read || !v.in_loop)
                continue;
            auto const older = values_.value(v.leaf);
            auto newest = older; // of these columns only: others beside them are not carried
            ++newest.shift;
            detail::copy_rows(pool_->kernels(), older, older.at(t), newest, newest.at(t), r, r + 1);
        }
    }

    /// Whether the result of a step is gone when the loop has ended.
    bool is_passing(value const& v) const {
        return values_.is_placed(v.result) && !values_.plan.buffers[values_.place_of(v.result).buffer].tape;
    }
    void finish(value& v) const {
        std::size_t const steps = values_.steps, batch = values_.batch;
        if (forward() && rows_.lengths.empty() && steps > 0)
            return finish_rows(v, steps - 1, 0, batch);
        for (std::size_t r = 0; r < batch; ++r)
            if (length(r) == 0)
                finish_untouched(v, r);
            else if (!forward() && has_resets() && starts_[r] < starts_[r + 1])
                sum_starts(v, r);
            else if (!forward())
                finish_rows(v, 0, r, r + 1);
            else if (!is_passing(v))
                finish_rows(v, length(r) - 1, r, r + 1);
    }
    void finish_rows(value const& v, std::size_t t, std::size_t first, std::size_t last) const {
        auto const from = values_.value(v.result);
        auto const to = strided_view<S>::dense(v.to, values_.batch, from.columns, false);
        if (v.to != nullptr)
            detail::copy_rows(pool_->kernels(), from, from.at(t), to, v.to, first, last);
    }

    /// Collects what rows that restart in step t give to what they start from.
    template <class Which>
    void find_starts(std::size_t t, Which which) {
        if (!has_resets())
            return;
        for (value& v : all_)
            if (v.to != nullptr && which(v))
                for (std::size_t r = 0; r < values_.batch; ++r)
                    if (rows_.starts_anew(t, r))
                        add_start(v, t, r);
    }
    void add_start(value& v, std::size_t t, std::size_t r) const {
        auto const from = values_.value(v.result);
        S* const data = v.starts.data() + (starts_[r] + v.found[r]++) * from.columns;
        auto const to = strided_view<S>::dense(data, 1, from.columns, false);
        detail::copy_rows(pool_->kernels(), from, from.at(t) + r * from.row, to, data, 0, 1);
    }
    void sum_starts(value& v, std::size_t r) const {
        add_start(v, 0, r);
        std::size_t const columns = values_.columns(v.leaf);
        pool_->kernels().total(v.found[r], columns, v.starts.data() + starts_[r] * columns, columns,
                               v.to + r * columns, false);
    }
    /// A row without steps ends as it starts.
    void finish_untouched(value const& v, std::size_t r) const {
        std::size_t const columns = values_.columns(v.leaf);
        if (v.from == nullptr)
            pool_->kernels().clear(1, columns, v.to + r * columns, columns);
        else if (v.from != v.to) // where gradients may be, which come and go in one place
            pool_->kernels().copy(1, columns, v.from + r * columns, columns, v.to + r * columns, columns);
    }
};

} // namespace sluice
