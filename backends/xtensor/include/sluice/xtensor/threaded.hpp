// SPDX-License-Identifier: BSL-1.0
// Opt-in: the planned lowering on several threads: sluice::cell<page, float,
// sluice::xtensor::threaded>.
//
// Products, blocks and sums of enough work are divided (divided.hpp) over the team of the process (team.hpp),
// of which the caller is one; `set_threads` says how many. All else runs on the caller alone, and so does all
// when another thread has the team. Results are those of `planned`, to the bit, whatever the number of
// threads.
//
// The pieces of a recurrence are asked for ahead of being done. Each waits until those before it are done by
// all threads, except products that have nothing to do with each other, and a block after them of which each
// thread needs only what it has made itself. A step of the GRU on two threads:
//
//   leader    x W, h R    gates, next state of its units    |
//   member    x W, h R    gates, next state of its units    |    wait
//
// Where each thread has many rows of the batch, a step is divided by them, and no thread waits for another:
// it reads and writes its own rows only, from the first step to the last. So it is where a cell infers a
// sequence of one row and its heads have nothing to do with each other: each thread has heads of its own
// (net/heads_engine.hpp).
//
// A function of the user's that a block calls must not run a cell of this policy, nor call `set_threads`.
//
// Where threads are a library of their own (glibc before 2.34), the program links that too: Threads::Threads
// in CMake.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <sluice/net/heads_engine.hpp>
#include <sluice/xtensor/divided.hpp>
#include <sluice/xtensor/planned.hpp>
#include <sluice/xtensor/team.hpp>
#include <utility>

namespace sluice::xtensor {

/// Work that was asked for and may not be done yet. When it ends, it is.
class divided_work {
public:
    divided_work() = default;
    divided_work(divided_work const&) = delete;
    divided_work& operator=(divided_work const&) = delete;
    ~divided_work() { finish(); }

    /// `effort`: multiplications, or as many as take the same time. `by_rows` of the work: whether it may be.
    template <class S>
    void product(product_work<S> work, std::size_t effort) {
        if (!leads(effort))
            return work(0, 1);
        if (work.by_rows = work.by_rows != 0 && has_many(work.m); work.by_rows != 0)
            return ask_rows(work, work.m,
                            std::array{rows_of_operand::of(work.a, work.lda, work.k, false),
                                       rows_of_operand::of(work.c, work.ldc, work.n, true)});
        asked_product const asked(work);
        if (count_ == most_products || !all_products([&](auto const& p) { return p.is_beside(asked); }))
            count_ = 0;
        rows_.clear();
        team_.ask(work, team_.parts(), count_ == 0);
        products_[count_++] = asked;
    }
    template <class Program, class S>
    void block(block_frame<S> const& frame) {
        using work_type = block_work<Program, S>;
        // All passes over a matrix value are divided or none: its parts stay in the caches of their threads.
        // A block that follows no product waits for other threads.
        std::size_t const count = frame.rows * frame.columns;
        std::size_t const effort =
            Program::has_standing
                ? count / 8 * 3
                : count * static_cast<std::size_t>(Program::registers) * (count_ == 0 ? 2 : 8);
        if (!leads(effort))
            return kernels::pointwise<Program>(frame);
        if constexpr (!Program::has_standing && sizeof(work_type) <= team::room)
            if (has_many(frame.rows) || rows_.are(frame.rows)) {
                work_type const work(frame, false);
                return ask_rows(work, frame.rows, work.rows());
            }
        bool const by_columns = work_type::has_free_columns(frame) &&
                                (frame.columns >= 32 * team_.parts() || frame.rows < 2 * team_.parts());
        work_type const work(frame, by_columns);
        if constexpr (sizeof(work_type) <= team::room) {
            if (count_ == 0 || !all_products([&](auto const& p) { return work.follows(p); }))
                return other(work, effort);
            team_.ask(work, team_.parts(), false);
            count_ = 0;
        } else {
            other([&work](unsigned part, unsigned parts) { work(part, parts); }, effort);
            if (leads_)
                team_.finish(); // before the work is gone
        }
    }
    template <class S>
    void copy(copy_work<S> const& work, std::size_t effort) {
        if (!leads_ || !rows_.are(work.m))
            return other(work, effort);
        ask_rows(work, work.m,
                 std::array{rows_of_operand::of(work.a, work.lda, work.n, false),
                            rows_of_operand::of(work.c, work.ldc, work.n, true)});
    }
    template <class Work>
    void other(Work const& work, std::size_t effort) {
        if (!leads(effort))
            return work(0, 1);
        count_ = 0;
        rows_.clear();
        team_.ask(work, effort < divides ? 1 : team_.parts(), true);
    }

    /// Returns when all that was asked for is done.
    void finish() {
        if (!leads_)
            return;
        team_.finish();
        team_.leave();
        leads_ = false;
        count_ = 0;
        rows_.clear();
    }

private:
    static constexpr std::size_t divides = 24 * 1024; ///< less effort stays with the leader
    static constexpr std::size_t most_products = 4;
    static constexpr std::size_t many = 16; ///< rows of a thread

    team& team_ = team::of_process();
    bool leads_ = false;
    std::size_t pieces_ = 0;
    std::size_t count_ = 0;
    std::array<asked_product, most_products>
        products_{}; ///< that wait for nothing but what came before all of them
    rows_of_threads rows_{};

    bool has_many(std::size_t rows) const { return rows >= many * team_.parts(); }
    template <class Work, std::size_t N>
    void ask_rows(Work const& work, std::size_t rows, std::array<rows_of_operand, N> const& operands) {
        count_ = 0;
        team_.ask(work, team_.parts(), !rows_.take(rows, operands));
    }

    template <class F>
    bool all_products(F const& f) const {
        return std::all_of(products_.begin(), products_.begin() + count_, f);
    }
    bool leads(std::size_t effort) {
        if (leads_ && ++pieces_ % 64 == 0 && !team_.is_whole())
            finish(); // others may join
        if (!leads_ && effort >= divides)
            leads_ = team_.lead(effort);
        return leads_;
    }
};

/// The kernels of the planned lowering, divided over the team.
struct threaded_kernels : kernels {
    static void find_product(auto const&...) = delete; // the team does every product
    template <class S>
    static void product(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda,
                        matrix<S> const& w, matrix_part const& part, S* c, std::size_t ldc, bool add) {
        // What takes long is asked for in pieces, so that threads that were asleep come in time for most of
        // them.
        std::size_t const most =
            std::max<std::size_t>(64, (std::size_t(1) << 27) / std::max<std::size_t>(1, n * k));
        for (std::size_t first = 0; first < m; first += most)
            ask([&, rows = std::min(most, m - first)](divided_work& s) {
                s.product(product_work<S>{rows, n, k, a + first * lda, lda, &w, part, c + first * ldc, ldc,
                                          add, m <= most},
                          rows * n * k);
            });
    }
    template <class S>
    static void outer(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda, S const* d,
                      std::size_t ldd, S* g, std::size_t ldg, bool add) {
        ask([&](divided_work& s) {
            s.other(outer_work<S>{m, n, k, a, lda, d, ldd, g, ldg, add}, m * n * k);
        });
    }
    template <class S>
    static void total(std::size_t m, std::size_t n, S const* a, std::size_t lda, S* sums, bool add) {
        ask([&](divided_work& s) { s.other(total_work<S>{m, n, a, lda, sums, add}, 4 * m * n); });
    }
    template <class S>
    static void copy(std::size_t m, std::size_t n, S const* a, std::size_t lda, S* c, std::size_t ldc) {
        ask([&](divided_work& s) { s.copy(copy_work<S>{m, n, a, lda, c, ldc}, m < 2 ? 0 : m * n); });
    }
    template <class S>
    static void clear(std::size_t m, std::size_t n, S* c, std::size_t ldc) {
        ask([&](divided_work& s) { s.copy(copy_work<S>{m, n, nullptr, 0, c, ldc}, m < 2 ? 0 : m * n); });
    }
    template <class S>
    static void stand(bool is_fold, standing const& how, std::size_t rows,
                      typename block_frame<S>::operand const& a, typename block_frame<S>::operand const& c) {
        ask([&](divided_work& s) {
            s.other(standing_work<S>{how, rows, is_fold, a, c}, 4 * rows * how.groups * how.matrix());
        });
    }
    static std::size_t threads() { return team::of_process().threads(); }
    /// f(first, count) for parts of so many pieces of work, each of so much effort, that have nothing to do
    /// with each other. What f asks for is done by the thread that asks.
    template <class F>
    static void divide(std::size_t pieces, std::size_t effort, F const& f) {
        if (now != nullptr) // what was asked for before has to be done
            now->finish();
        divided_work all;
        all.other(
            [&](unsigned part, unsigned parts) {
                auto const [first, count] = share::of_rows(pieces, part, parts);
                bool const outer = std::exchange(is_inside, true);
                if (count > 0)
                    f(first, count);
                is_inside = outer;
            },
            pieces * effort);
    }
    template <class Program, class S>
    static void pointwise(block_frame<S> const& frame) {
        if (is_inside)
            return kernels::pointwise<Program>(frame);
        ask([&](divided_work& s) { s.block<Program>(frame); });
    }
    template <class F>
    static void as_one(F const& f) {
        divided_work all;
        divided_work* const outer = std::exchange(now, &all);
        struct guard {
            divided_work* outer;
            ~guard() { now = outer; }
        } const end{outer};
        f();
    }

private:
    static inline constinit thread_local divided_work* now = nullptr; ///< of as_one
    static inline constinit thread_local bool is_inside = false;      ///< a part of `divide`

    template <class F>
    static void ask(F const& f) {
        if (now != nullptr)
            return f(*now);
        divided_work alone;
        f(alone);
    }
};

/// The planned lowering on the team of the process.
struct threaded {
    template <class Equations, class S>
    using lowering = heads_lowering<Equations, S, detail::kernels_for_scalar<threaded_kernels, S>>;
};

} // namespace sluice::xtensor
