// SPDX-License-Identifier: BSL-1.0
// endless_run: the inference plan of one time step, prepared once and run for as long as inputs come. The
// state stays where it is: the buffers that carry it are used in parity.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <sluice/execute/run.hpp>
#include <utility>
#include <vector>

namespace sluice {

/// Runs the plan of a sweep that goes forward, one time step at each call.
template <class S, class Kernels>
class endless_run {
public:
    using memory_type = sweep_memory<S, Kernels>;
    using pool_type = typename memory_type::pool_type;

    endless_run(pool_type const& pool, sweep_program<S, Kernels> const& program, sizes const& n,
                std::size_t batch)
        : values(pool, program.graph, program.plan, n, 1, batch, nullptr, true), pool_(pool),
          tasks_(values, program.run_block, pool), run_fixed_(program.run_fixed) {}
    endless_run(endless_run const&) = delete;
    endless_run& operator=(endless_run const&) = delete;

    memory_type values; ///< leaves that the backend has are given here

    /// Each step reads the leaf, [batch, columns], there: of the host, or of the kernels' memory.
    void give(int leaf, S const* host) {
        std::size_t const columns = values.columns(leaf), count = values.batch * columns;
        if (first_ == nullptr) {
            first_ = host;
            first_count_ = count;
        }
        S* there = const_cast<S*>(host);
        if (count == 0 || !is_there(host)) // as transfers do
            there = sent_.emplace_back(host, scratch<S, Kernels>(pool_, count)).second.data();
        values.give(leaf, strided_view<S>::dense(there, values.batch, columns, false));
    }
    /// After each step that value, [batch, columns], is there.
    void expect(int node, S* host) { expected_.push_back({node, host}); }
    /// Whenever leaves or weights lie elsewhere.
    void prepare(weights<S, Kernels> const& matrices) {
        tasks_.prepare([&](int node) { return values.value(node); }, matrices, ~0u);
        for (expected& e : expected_)
            e.from = values.value(e.node);
        is_fixed_ =
            run_fixed_ != nullptr && tasks_.is_fixed_step() &&
            std::ranges::all_of(expected_, [](expected const& e) { return e.from.width >= e.from.columns; });
        if constexpr (Kernels::is_host)
            is_ready_ =
                !is_fixed_ && tasks_.ask(ready_) && std::ranges::all_of(expected_, [](expected const& e) {
                    return e.from.width >= e.from.columns && e.from.repeats();
                });
        reads_.clear();
        read_at_ = {first_, first_};
        if (!is_fixed_ && !is_ready_)
            return;
        for (expected& e : expected_) {
            e.at = {e.from.at(0), e.from.at(1)};
            e.is_in_first = is_in_first(e.at[0]);
        }
        if (is_ready_) {
            ready_[0].find_reads(first_, first_count_);
            ready_[1].find_reads(first_, first_count_);
            return;
        }
        places_ = {tasks_.places_at(0), tasks_.places_at(1)};
        weights_ = tasks_.weights_of_products();
        for (std::size_t i = 0; i < places_[0].size(); ++i)
            if (is_in_first(places_[0][i]))
                reads_.push_back({i, places_[0][i] - first_});
    }
    void run() noexcept(Kernels::is_host) { run_from(first_); }
    /// The same, where the leaf that was given first lies there in this step; see reads_anywhere.
    void run_from(S const* first) noexcept(Kernels::is_host) {
        ++now_;
        if (is_fixed_)
            run_fixed(first, now_ % 2);
        else if (Kernels::is_host && is_ready_)
            run_ready(first, now_ % 2);
        else
            run_open();
    }
    /// Puts numbers where the leaf that was given first lies.
    void fill_first(S const* from) {
        auto* const to = const_cast<S*>(first_); // which is the caller's, to be written before each step
        if (is_there(to))
            pool_->kernels().copy(1, first_count_, from, first_count_, to, first_count_);
        else
            std::copy_n(from, first_count_, to);
    }
    /// Whether `run_from` may be told another place.
    bool reads_anywhere() const { return is_fixed_ || is_ready_; }

    /// Puts rows [first, last) of [batch, columns] where the last step put that result, for the next one to
    /// find.
    void copy_in(int result, S const* from, std::size_t first, std::size_t last) {
        transfers<S, Kernels> sent(pool_);
        auto const to = values.value(result);
        copy(dense(sent.give(from, values.batch * to.columns), to), to, first, last);
    }
    /// to[batch, columns] = a value of the last step.
    void copy_out(int node, S* to) const {
        transfers<S, Kernels> sent(pool_);
        auto const from = values.value(node);
        copy(from, dense(sent.expect(to, values.batch * from.columns), from), 0, values.batch);
        sent.finish();
    }

private:
    pool_type pool_;
    prepared_tasks<S, Kernels> tasks_;
    std::vector<std::pair<S const*, scratch<S, Kernels>>>
        sent_{};          ///< inputs of the host, and where steps read them
    std::size_t now_ = 0; ///< the last step

    struct expected {
        int node;
        S* host;
        strided_view<S> from{};
        std::array<S*, 2> at{}; ///< in even steps and in odd ones
        bool is_in_first = false;
    };
    std::vector<expected> expected_{};

    fixed_runner<S, Kernels> run_fixed_;
    bool is_fixed_ = false, is_ready_ = false;
    std::array<ready_step<S, Kernels>, 2> ready_{}; ///< of even steps and of odd ones
    S const* first_ = nullptr;                      ///< where the first leaf was given
    std::size_t first_count_ = 0;
    std::array<std::vector<S*>, 2> places_{}; ///< of even steps and of odd ones
    struct part_of_first {
        std::size_t place;
        std::ptrdiff_t at;
    };
    std::vector<part_of_first> reads_{}; ///< those of the first leaf, or of columns of it
    std::array<S const*, 2> read_at_{};  ///< where they read it
    std::vector<typename Kernels::template matrix<S>> weights_{};

    [[gnu::noinline]] void run_open() {
        [[maybe_unused]] auto const session = detail::session_of(pool_->kernels());
        for (auto const& [host, there] : sent_)
            pool_->kernels().upload(there.size(), host, there.data());
        detail::ask_as_one(pool_->kernels(), [this] { tasks_.run(now_); });
        for (expected const& e : expected_)
            if constexpr (Kernels::is_host)
                copy(e.from, dense(e.host, e.from), 0, values.batch);
            else
                copy_out(e.node, e.host);
    }
    void run_fixed(S const* first, std::size_t parity) {
        if (first != read_at_[parity])
            read_at(first, parity);
        run_fixed_(pool_->kernels(), {places_[parity].data(), weights_.data(), tasks_.kept(), parity == 1});
        hand_out(1, first, parity);
    }
    void run_ready(S const* first, std::size_t parity) {
        auto const& with = pool_->kernels();
        [[maybe_unused]] auto const session = detail::session_of(with);
        if (first != read_at_[parity])
            read_at(first, parity);
        detail::ask_as_one(with, [&] { tasks_.run(ready_[parity]); });
        hand_out(values.batch, first, parity);
    }
    /// From now on such steps read the first leaf there.
    [[gnu::noinline]] void read_at(S const* first, std::size_t parity) {
        read_at_[parity] = first;
        ready_[parity].read_at(first);
        for (part_of_first const& read : reads_)
            places_[parity][read.place] = const_cast<S*>(first) + read.at;
    }
    [[gnu::always_inline]] void hand_out(std::size_t rows, S const* first, std::size_t parity) const {
        for (expected const& e : expected_) {
            S const* const from = e.is_in_first ? first + (e.at[parity] - first_) : e.at[parity];
            pool_->kernels().copy(rows, e.from.columns, from, e.from.row, e.host, e.from.columns);
        }
    }
    /// Whether the kernels can read it where it lies.
    bool is_there(S const* p) const { return Kernels::is_host || detail::holds(pool_->kernels(), p); }
    /// Whether it is a number of the first leaf.
    bool is_in_first(S const* p) const {
        std::less<S const*> const before;
        return first_ != nullptr && !before(p, first_) && before(p, first_ + first_count_);
    }

    strided_view<S> dense(S* data, strided_view<S> const& like) const {
        return strided_view<S>::dense(data, values.batch, like.columns, false);
    }
    void copy(strided_view<S> const& from, strided_view<S> const& to, std::size_t first,
              std::size_t last) const {
        detail::copy_rows(pool_->kernels(), from, from.at(now_), to, to.at(now_), first, last);
    }
};

} // namespace sluice
