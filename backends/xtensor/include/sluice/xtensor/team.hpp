// SPDX-License-Identifier: BSL-1.0
// Threads that share work. There is one team for the process, made when work is first divided and joined at
// exit. (What sluice_add_instruction_sets compiles has one for each instruction set: set_threads is called
// there too.)
//
// Whoever asks for work leads: the calling thread writes pieces of work down, and each thread, the leader
// among them, does its own part of every piece, in the order in which they were asked for:
//
//   leader    piece 0   piece 1   piece 2 ...        part 0 of each
//   member    piece 0   piece 1   piece 2 ...        part 1 of each
//
// A piece that `waits` begins when all pieces before it are done by all threads. Nothing else is waited for:
// no lock, no allocation, no call of the system. One thread leads at a time; one that finds the team taken
// works alone.
//
// Members that find nothing to do spin for `patience` and then sleep. Sleepers take no part, and are called
// when there has been work for longer than waking them takes. Systems like to wake a thread on the processor
// of its caller, where the two would wait for each other: members are kept off the leader's. Parts are
// computed with the floating-point control word (rounding, flushed denormals) that the leader had when it
// asked. A part must not throw.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <sluice/xtensor/denormals.hpp>
#include <sluice/xtensor/processors.hpp>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>
#if __has_include(<pthread.h>) && !defined(_WIN32) // which has no fork
#include <pthread.h>
#endif

namespace sluice::xtensor {

class team {
public:
    static constexpr std::size_t most_threads = 64;
    static constexpr std::chrono::microseconds usual_patience{50};
    /// Bytes of a piece of work.
    static constexpr std::size_t room = 1984;

    /// The team of the process.
    static team& of_process() {
        static team all;
        return all;
    }
    team(team const&) = delete;
    team& operator=(team const&) = delete;
    ~team() {
        take();
        dismiss();
    }

    /// As many as there are processors that the process may use, at most 16, unless another number was set.
    std::size_t threads() const { return wanted_.load(std::memory_order_relaxed); }
    /// Waits until no thread leads, and ends the threads that there are. 0: as many as without this call.
    void set_threads(std::size_t count, std::chrono::microseconds patience) {
        take();
        dismiss();
        patience_ = std::clamp<std::chrono::microseconds>(patience, std::chrono::microseconds(0),
                                                          std::chrono::hours(1));
        wanted_ = count == 0 ? usual() : std::min(count, most_threads);
        leave();
    }

    /// Makes the calling thread the leader, unless there is one already or none would follow. `effort` is
    /// that of the work at hand, in multiplications.
    bool lead(std::size_t effort) {
        if (threads() < 2 || !try_take())
            return false;
        if (int const here = processors::current(); here != processor_.load(std::memory_order_relaxed))
            processor_.store(here, std::memory_order_relaxed);
        if (!is_made_)
            make();
        if (!is_whole() && call_sleepers(effort) && effort >= much) { // one that comes late finds nothing
            leave();
            auto const start = clock::now();
            while (!is_whole() && clock::now() - start < 2 * usual_patience)
                pause();
            if (!try_take())
                return false;
        }
        if (active_ > 0) {
            // The same work often comes again, every time or, where states have two places, every second
            // time: it is put where it was then.
            begin_ = (begin_ + ring / 2) % ring;
            shift_ = (ring - written_ % ring + begin_) % ring;
            return true;
        }
        leave();
        return false;
    }
    /// After finish().
    void leave() { taken_.store(false, std::memory_order_release); }

    // For the leader.

    bool is_whole() const { return active_ >= all_; }
    /// All that take part.
    unsigned parts() const { return static_cast<unsigned>(active_ + 1); }

    /// Asks for a piece of work, which is copied: work(part, parts) does one part of it.
    template <class Work>
    void ask(Work const& work, unsigned parts, bool waits) {
        static_assert(std::is_trivially_copyable_v<Work> && sizeof(Work) <= room);
        if (written_ - finished_ == ahead) // far enough before one's own part
            do_next();
        if (written_ >= free_ + ring) {
            free_ = written_ + 1 - ring;
            for (std::size_t i = 1; i <= active_; ++i)
                await(*roster_[i], free_);
        }
        piece& to = piece_of(written_++);
        piece_head const head{[](std::byte const* from, unsigned part, unsigned count) noexcept {
                                  (*std::launder(reinterpret_cast<Work const*>(from)))(part, count);
                              },
                              parts, mode::get(), waits};
        // What is there already is not written again: members have it in their caches.
        if (to.head != head || std::memcmp(to.work, &work, sizeof(Work)) != 0) {
            to.head = head;
            new (to.work) Work(work);
        }
        posted_.store(written_, std::memory_order_release);
    }
    /// Returns when all that was asked for is done.
    void finish() {
        while (finished_ != written_)
            do_next();
        for (std::size_t i = 1; i <= active_; ++i)
            await(*roster_[i], written_);
        free_ = written_;
    }

private:
    using mode = detail::floating_mode;
    static constexpr std::size_t ring = 16, ahead = 8;
    static constexpr std::size_t enough = std::size_t(1) << 21; ///< multiplications that are worth a call
    static constexpr std::size_t much = 4 * enough; ///< and that are worth waiting for a member that sleeps
    using clock = std::chrono::steady_clock;

    struct piece_head {
        void (*run)(std::byte const*, unsigned part, unsigned parts) noexcept = nullptr;
        unsigned parts = 0;
        mode::word floating = 0;
        bool waits = false;
        bool operator==(piece_head const&) const = default;
    };
    struct alignas(64) piece {
        piece_head head{};
        alignas(std::max_align_t) std::byte work[room];
    };
    struct alignas(64) member {
        std::atomic<std::uint64_t> done{0}; ///< pieces, of all that were ever posted
        std::size_t part = 0;
        bool sleeps = false;
        processors usable{}; ///< when it went to sleep
        std::thread thread{};
    };

    // What a step costs beside its work is lines of the cache that go from one processor to another, so what
    // one side writes again and again does not lie beside what the other reads.

    // Members wait for this.
    alignas(64) std::atomic<std::uint64_t> posted_{0};
    std::uint64_t shift_ =
        0; ///< piece i is pieces_[(i + shift_) % ring]; another only while nothing is left to do
    std::atomic<bool> ends_{false};
    // What members read and seldom changes. All that is not atomic belongs to the leader.
    alignas(64) std::atomic<std::size_t> active_ = 0; ///< members that do not sleep: roster_[1 .. active_]
    std::chrono::microseconds patience_ = usual_patience;
    unsigned turns_ = 0;             ///< that are waited for before the processor is left to others
    std::atomic<int> processor_{-1}; ///< of the last leader
    // What leaders write.
    alignas(64) std::atomic<bool> taken_{false};
    std::atomic<std::size_t> wanted_{usual()};
    std::atomic<std::uint32_t> calls_{0}; ///< sleepers wait for another number
    bool is_made_ = false;
    std::atomic<std::size_t> all_ = most_threads; ///< members, when they are made
    std::uint64_t written_ = 0, finished_ = 0;
    std::uint64_t free_ = 0;  ///< pieces before this are known to be done by all
    std::uint64_t begin_ = 0; ///< the place of the leader's first piece
    std::size_t owed_ = 0;    ///< effort of the work that was done while members slept
    clock::time_point last_{};
    std::array<member*, most_threads> roster_{};
    alignas(64) member leader_{};
    std::vector<std::unique_ptr<member>> members_{};
    std::array<piece, ring> pieces_{};

    piece& piece_of(std::uint64_t i) { return pieces_[(i + shift_) % ring]; }

    team() {
        roster_[0] = &leader_;
#if __has_include(<pthread.h>) && !defined(_WIN32)
        pthread_atfork(nullptr, nullptr, [] { of_process().forget(); });
#endif
    }

    static std::size_t usual() {
        return std::min<std::size_t>(processors().count(), 16);
    }

    bool try_take() {
        return !taken_.load(std::memory_order_relaxed) && !taken_.exchange(true, std::memory_order_acquire);
    }
    void take() {
        while (!try_take())
            std::this_thread::yield();
    }

    void make() {
        is_made_ = true;
        ends_ = false;
        turns_ = threads() > processors().count() ? 100 : 2'000;
        try {
            members_.reserve(threads());
            for (std::size_t i = 1; i < threads(); ++i) {
                auto made = std::make_unique<member>();
                made->thread = std::thread([this, &me = *made] { work(me); });
                members_.push_back(std::move(made));
            }
        } catch (std::exception const&) { // no more threads, or no memory: those that are there do
        }
        all_ = members_.size();
        last_ = clock::now();
    }
    /// Ends all members. They cannot join any more: the team is taken.
    void dismiss() {
        ends_ = true;
        call();
        for (auto const& m : members_)
            m->thread.join();
        members_.clear();
        active_ = 0;
        all_ = most_threads;
        is_made_ = false;
    }
    /// In a child of fork there is only the thread that called it. What the others left is not freed.
    void forget() {
        for (auto& m : members_)
            static_cast<void>(m.release());
        members_.clear();
        active_ = 0;
        all_ = most_threads;
        is_made_ = false;
        written_ = finished_ = free_ = posted_;
        leader_.done.store(written_);
        taken_ = false;
    }

    void call() {
        ++calls_;
        calls_.notify_all();
    }
    /// Whether they are called: there has been work for long enough.
    bool call_sleepers(std::size_t effort) {
        auto const now = clock::now();
        if (now - last_ > patience_)
            owed_ = 0;
        last_ = now;
        owed_ += effort;
        if (owed_ < enough)
            return false;
        owed_ = 0;
        for (auto const& m : members_)
            if (m->sleeps)
                m->usable.keep_off(m->thread.native_handle(), processor_);
        call();
        return true;
    }

    // What a member does.

    void work(member& me) {
        while (join(me)) {
            auto last = clock::now() + 40 * patience_; // the leader that calls has much to do
            bool has_worked = false;                   // since the clock was read
            for (unsigned turns = 1;; ++turns) {
                if (do_all(me))
                    has_worked = true;
                else
                    pause();
                if (ends_.load(std::memory_order_relaxed))
                    return;
                if (turns % 64 != 0) // what follows takes as long as a short piece of work
                    continue;
                processors::leave(processor_.load(std::memory_order_relaxed));
                auto const now = clock::now();
                if (std::exchange(has_worked, false))
                    last = std::max(last, now);
                else if (now - last > patience_ && try_take()) {
                    sleep(me); // no thread leads, so nothing is left to do
                    break;
                }
            }
        }
    }
    /// False: the team ends.
    bool join(member& me) {
        while (!try_take()) {
            if (ends_.load(std::memory_order_relaxed))
                return false;
            pause();
        }
        if (std::exchange(me.sleeps, false))
            me.usable
                .restore(); // not before: until now it might be called again, and kept off another processor
        me.part = ++active_;
        roster_[active_] = &me;
        me.done.store(posted_.load(std::memory_order_relaxed), std::memory_order_relaxed);
        leave();
        return true;
    }
    /// The last of the roster takes the place of the one that sleeps.
    void sleep(member& me) {
        roster_[me.part] = roster_[active_];
        roster_[me.part]->part = me.part;
        --active_;
        me.sleeps = true;
        me.usable = processors();
        auto const seen = calls_.load();
        leave();
        if (!ends_)
            calls_.wait(seen);
    }
    /// Whether there was something to do.
    bool do_all(member& me) {
        std::uint64_t const first = me.done.load(std::memory_order_relaxed);
        std::uint64_t const last = posted_.load(std::memory_order_acquire);
        for (std::uint64_t i = first; i < last; ++i)
            do_piece(me, i);
        return first < last;
    }

    void do_next() {
        auto const before = mode::get();
        do_piece(leader_, finished_++);
        set_mode(before);
    }
    void do_piece(member& me, std::uint64_t i) {
        piece const& now = piece_of(i);
        if (auto const& [run, parts, floating, waits] = now.head; me.part < parts) {
            for (std::size_t other = 0; waits && other <= active_; ++other)
                if (other != me.part)
                    await(*roster_[other], i);
            set_mode(floating);
            run(now.work, static_cast<unsigned>(me.part), parts);
        }
        me.done.store(i + 1, std::memory_order_release);
    }

    /// Until a member has done so many pieces. Where threads share processors, this one is left to the others
    /// soon.
    void await(member const& other, std::uint64_t pieces) const {
        for (unsigned turns = 0; other.done.load(std::memory_order_acquire) < pieces; ++turns)
            if (turns < turns_)
                pause();
            else
                std::this_thread::yield();
    }
    static void set_mode(mode::word wanted) {
        if (mode::get() != wanted)
            mode::set(wanted);
    }
    static void pause() {
#if defined(__SSE2__)
        __builtin_ia32_pause();
#else
        std::this_thread::yield();
#endif
    }
};

/// How many threads divide the work of cells of `threaded`, the caller's among them. 0: the usual number,
/// that of the processors that the process may use, at most 16. 1: there are no others. More than there are
/// processors, up to 64, are allowed, and slow. Who finds nothing to do waits so long on its processor and
/// then sleeps: a program that steps once in a millisecond with threads has to say longer. May be called at
/// any time, but not by a function that a cell calls: waits for work that is being divided, and ends the
/// threads that there are; the next work makes new ones. Results do not depend on it.
inline void set_threads(std::size_t count, std::chrono::microseconds patience = team::usual_patience) {
    team::of_process().set_threads(count, patience);
}
inline std::size_t threads() {
    return team::of_process().threads();
}

} // namespace sluice::xtensor
