// SPDX-License-Identifier: BSL-1.0
// endless_run: the inference plan of one time step, prepared once and run for as long as inputs come. The
// state stays where it is: the buffers that carry it are used in parity.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <sluice/execute/fixed_step.hpp>
#include <sluice/execute/run.hpp>
#include <span>
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
          tasks_(values, program.run_block, pool), run_fixed_(program.run_fixed),
          writes_copies_(program.writes_copies) {}
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
        given_.push_back({host, count});
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
            is_ready_ = !is_fixed_ && tasks_.ask(turns_[0].ready, turns_[1].ready) &&
                        std::ranges::all_of(expected_, [](expected const& e) {
                            return e.from.width >= e.from.columns && e.from.repeats();
                        });
        reads_.clear();
        for (turn& of : turns_)
            of.read_at = first_;
        if (!is_fixed_ && !is_ready_)
            return;
        for (expected& e : expected_) {
            e.at = {e.from.at(0), e.from.at(1)};
            e.is_in_first = is_in_first(e.at[0]);
        }
        if (is_ready_) {
            for (turn& of : turns_)
                of.ready.find_reads(first_, first_count_);
            return;
        }
        weights_ = tasks_.weights_of_products();
        for (std::size_t parity = 0; parity < 2; ++parity)
            find_places(parity);
        auto const& places = turns_[0].places;
        for (std::size_t i = 0; i < places.size(); ++i)
            if (is_in_first(places[i]))
                reads_.push_back({i, places[i] - first_});
    }
    void run() noexcept(Kernels::is_host) { run_from(first_); }
    /// The same, where the leaf that was given first lies there in this step. A small step has few
    /// instructions, so that those around it count.
    void run_from(S const* first) noexcept(Kernels::is_host) {
        ++now_;
        turn const& of = turns_[now_ % 2];
        if (is_fixed_ && first == of.read_at && of.frame.copies != nullptr) [[likely]]
            run_fixed_(pool_->kernels(), of.frame);
        else
            run_other(first, now_ % 2);
    }
    /// Whether `run_from` reads it there. Other steps copy it to where it was given.
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
    bool writes_copies_;
    bool is_fixed_ = false, is_ready_ = false;
    /// Even steps, or odd ones.
    struct turn {
        ready_step<S, Kernels> ready{};
        S const* read_at = nullptr; ///< where they read the first leaf
        std::vector<S*> places{};   ///< of a fixed step
        std::vector<S*> copies{};   ///< all that is expected; empty if the step cannot write it
        fixed_frame<S, Kernels> frame{};
    };
    std::array<turn, 2> turns_{};
    S const* first_ = nullptr; ///< where the first leaf was given
    std::size_t first_count_ = 0;
    std::vector<std::span<S const>> given_{};
    struct part_of_first {
        std::size_t place;
        std::ptrdiff_t at;
    };
    std::vector<part_of_first> reads_{}; ///< those of the first leaf, or of columns of it
    std::vector<typename Kernels::template matrix<S>> weights_{};

    [[gnu::noinline]] void run_other(S const* first, std::size_t parity) {
        if (!reads_anywhere())
            return run_open(first);
        if (first != turns_[parity].read_at)
            read_at(first, parity);
        if (Kernels::is_host && is_ready_)
            return run_ready(first, parity);
        fixed_frame<S, Kernels> const& frame = turns_[parity].frame;
        run_fixed_(pool_->kernels(), frame);
        if (frame.copies == nullptr)
            hand_out(1, first, parity);
    }
    /// Puts numbers where the leaf that was given first lies.
    void fill_first(S const* from) {
        auto* const to = const_cast<S*>(first_); // which is the caller's, to be written before each step
        if (is_there(to))
            pool_->kernels().copy(1, first_count_, from, first_count_, to, first_count_);
        else
            std::copy_n(from, first_count_, to);
    }
    void run_open(S const* first) {
        if (first_ != nullptr && first != first_)
            fill_first(first);
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
    /// Where a fixed step reads and stores. The last one that stores at a place leaves its number there.
    void find_places(std::size_t parity) {
        auto const places = tasks_.places_at(parity);
        turn& of = turns_[parity];
        of.places.clear();
        for (step_place<S> const& place : places)
            of.places.push_back(place.at);
        of.copies.assign(places.size(), nullptr);
        bool are_all = writes_copies_;
        for (expected const& e : expected_) {
            std::size_t i = places.size();
            while (i > 0 && (places[i - 1].at != e.at[parity] || places[i - 1].stored != e.from.columns))
                --i;
            bool const is_new = i > 0 && of.copies[i - 1] == nullptr;
            if (is_new)
                of.copies[i - 1] = e.host;
            are_all = are_all && is_new;
        }
        if (!are_all)
            of.copies.clear();
        of.frame = {of.places.data(), nullptr, weights_.data(), tasks_.kept(), parity == 1};
        find_copies(first_, of);
    }
    /// Whether a step that reads the first leaf there may write the copies before it ends.
    void find_copies(S const* first, turn& of) const {
        std::less<S const*> const before;
        of.frame.copies = of.copies.empty() ? nullptr : of.copies.data();
        for (expected const& e : expected_)
            for (std::span<S const> const& given : given_) {
                S const* const from = given.data() == first_ ? first : given.data();
                if (before(from, e.host + e.from.columns) && before(e.host, from + given.size()))
                    of.frame.copies = nullptr;
            }
    }
    void run_ready(S const* first, std::size_t parity) {
        auto const& with = pool_->kernels();
        [[maybe_unused]] auto const session = detail::session_of(with);
        detail::ask_as_one(with, [&] { tasks_.run(turns_[parity].ready); });
        hand_out(values.batch, first, parity);
    }
    /// From now on such steps read the first leaf there.
    [[gnu::noinline]] void read_at(S const* first, std::size_t parity) {
        turn& of = turns_[parity];
        of.read_at = first;
        of.ready.read_at(first);
        for (part_of_first const& read : reads_)
            of.places[read.place] = const_cast<S*>(first) + read.at;
        if (is_fixed_)
            find_copies(first, of);
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
    bool is_in_first(S const* p) const { return first_ != nullptr && is_one_of(p, first_, first_count_); }

    strided_view<S> dense(S* data, strided_view<S> const& like) const {
        return strided_view<S>::dense(data, values.batch, like.columns, false);
    }
    void copy(strided_view<S> const& from, strided_view<S> const& to, std::size_t first,
              std::size_t last) const {
        detail::copy_rows(pool_->kernels(), from, from.at(now_), to, to.at(now_), first, last);
    }
};

} // namespace sluice
