// SPDX-License-Identifier: BSL-1.0
// Ranks that are threads of this process, for tests and for one machine:
//
//   sluice::run_ranks(3, [&](sluice::transport& all) {
//       std::vector<float> mine(5, float(all.rank()));
//       all.fast_sum(mine);                                // 0 + 1 + 2
//   });
//
// Nothing is sent: a rank reads what another one has where it lies in its memory. A call therefore returns
// when all ranks have read.
//
//   board of a call      rank 0 posts   rank 1 posts   rank 2 posts     what they have for each other
//                        all came: each reads from the others
//                        all read: the board goes, and memory belongs to its rank again
//
// A rank that fails raises an alarm from its call on, which wakes all that wait in such a call. It goes on
// when no rank reads its memory any more, and after the alarm none begins to.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sluice/core/fail.hpp>
#include <sluice/distributed/exchange.hpp>
#include <sluice/distributed/transport.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace sluice {

namespace detail {

/// What all ranks of a process look at.
struct meeting {
    struct post {
        call_record call;
        std::vector<byte_pieces> to;
        bool has_read = false;
    };
    struct board {
        std::vector<std::optional<post>> posts;
        std::size_t came = 0;
        std::size_t reading = 0;
        std::size_t have_read = 0;
    };
    struct alarm {
        std::uint64_t from; // this call, and all after it
        std::string sentence;
    };

    meeting(int ranks, transport_options chosen) : size(static_cast<std::size_t>(ranks)), options(chosen) {}

    void raise(std::uint64_t from, std::string const& sentence) {
        std::lock_guard const lock(mutex);
        if (!alarm_in(from))
            alarms.push_back({from, sentence});
        changed.notify_all();
    }
    // With the mutex: the first alarm that concerns a call.
    alarm const* alarm_in(std::uint64_t number) const {
        for (alarm const& raised : alarms)
            if (raised.from <= number)
                return &raised;
        return nullptr;
    }

    std::size_t size;
    transport_options options;
    std::mutex mutex{};
    std::condition_variable changed{};
    std::map<std::uint64_t, std::shared_ptr<board>> boards{};
    std::vector<alarm> alarms{};
};

class thread_transport;

class thread_exchange final : public exchange {
public:
    thread_exchange(thread_transport& all, meeting& place, call_record const& call,
                    std::vector<byte_pieces> to, std::vector<byte_room> rooms);
    ~thread_exchange() override;

    bool test() override {
        std::lock_guard const lock(place_.mutex);
        return board_->came == place_.size || place_.alarm_in(call_.number);
    }
    void wait() override;
    byte_pieces from(int rank) const override {
        return board_->posts[static_cast<std::size_t>(rank)]->to[own_];
    }
    void finish() override;

private:
    // With the lock, until `is_so` or an alarm in this call, which is thrown. At the end of patience the
    // ranks for which `is_late` is true are named.
    template <class IsSo, class IsLate>
    void wait_until(std::unique_lock<std::mutex>& lock, IsSo is_so, bool came, IsLate is_late);
    void withdraw();

    thread_transport& all_;
    meeting& place_;
    call_record call_;
    std::vector<byte_room> rooms_;
    std::size_t own_;
    std::shared_ptr<meeting::board> board_{};
    bool is_reading_ = false;
    bool is_finished_ = false;
};

class thread_transport final : public transport {
public:
    thread_transport(meeting& place, int rank)
        : transport(rank, static_cast<int>(place.size)), place_(place) {}
    ~thread_transport() override { leave_at_end(); }

    std::string_view name() const override { return "threads"; }
    std::chrono::milliseconds patience() const override { return place_.options.patience; }

private:
    friend thread_exchange;
    std::unique_ptr<exchange> start(call_record const& call, std::vector<byte_pieces> to,
                                    std::vector<byte_room> from) override {
        return std::make_unique<thread_exchange>(*this, place_, call, std::move(to), std::move(from));
    }
    void tell(std::uint64_t number, std::string const& sentence) override { place_.raise(number, sentence); }

    meeting& place_;
};

inline thread_exchange::thread_exchange(thread_transport& all, meeting& place, call_record const& call,
                                        std::vector<byte_pieces> to, std::vector<byte_room> rooms)
    : all_(all), place_(place), call_(call), rooms_(std::move(rooms)),
      own_(static_cast<std::size_t>(all.rank())) {
    std::unique_lock lock(place_.mutex);
    std::shared_ptr<meeting::board>& board = place_.boards[call.number];
    if (!board) {
        board = std::make_shared<meeting::board>();
        board->posts.resize(place_.size);
    }
    for (std::size_t q = 0; q < place_.size; ++q)
        if (auto const& its = board->posts[q]; its && !(its->call == call_)) {
            std::string const words = disagreement(all.rank(), call_, static_cast<int>(q), its->call);
            lock.unlock();
            all_.give_up(call_.number, words);
        }
    board_ = board;
    board_->posts[own_] = meeting::post{call_, std::move(to)};
    ++board_->came;
    if (board_->came == place_.size)
        place_.changed.notify_all();
}

template <class IsSo, class IsLate>
void thread_exchange::wait_until(std::unique_lock<std::mutex>& lock, IsSo is_so, bool came, IsLate is_late) {
    auto const deadline = deadline_after(place_.options.patience);
    place_.changed.wait_until(lock, deadline, [&] { return is_so() || place_.alarm_in(call_.number); });
    if (is_so())
        return;
    std::string words;
    if (meeting::alarm const* const raised = place_.alarm_in(call_.number))
        words = raised->sentence;
    else {
        std::vector<int> late;
        for (std::size_t q = 0; q < place_.size; ++q)
            if (is_late(board_->posts[q]))
                late.push_back(static_cast<int>(q));
        words = lateness(late, came, call_, place_.options.patience);
    }
    lock.unlock();
    all_.stop(call_.number, words);
    withdraw();
    all_.refuse_if_stopped();
}

inline void thread_exchange::wait() {
    std::unique_lock lock(place_.mutex);
    wait_until(
        lock, [&] { return board_->came == place_.size && !place_.alarm_in(call_.number); }, false,
        [](auto const& post) { return !post; });
    ++board_->reading;
    is_reading_ = true;
    lock.unlock();
    for (std::size_t q = 0; q < rooms_.size(); ++q) {
        byte_pieces const its = board_->posts[q]->to[own_];
        if (q == own_ || rooms_[q].first == nullptr || its.is_empty())
            continue;
        for (std::size_t i = 0; i < its.count; ++i)
            std::memcpy(rooms_[q].first + i * its.bytes, its.piece(i).data(), its.bytes);
    }
}

inline void thread_exchange::finish() {
    std::unique_lock lock(place_.mutex);
    is_reading_ = false;
    --board_->reading;
    ++board_->have_read;
    board_->posts[own_]->has_read = true;
    place_.changed.notify_all();
    wait_until(
        lock, [&] { return board_->have_read == place_.size; }, true,
        [](auto const& post) { return !post->has_read; });
    place_.boards.erase(call_.number);
    is_finished_ = true;
}

// Returns when no rank reads this one's memory.
inline void thread_exchange::withdraw() {
    std::unique_lock lock(place_.mutex);
    if (std::exchange(is_reading_, false)) {
        --board_->reading;
        place_.changed.notify_all();
    }
    place_.changed.wait(lock, [&] { return board_->reading == 0; });
}

inline thread_exchange::~thread_exchange() {
    if (is_finished_)
        return;
    all_.drop(call_);
    withdraw();
}

/// What became of one rank.
struct rank_error {
    int rank;
    std::exception_ptr thrown;
    std::string words;
    bool is_of_transport; // and likely a consequence
};

inline void run_rank(meeting& place, int rank, std::function<void(transport&)> const& f,
                     std::vector<rank_error>& errors) {
    thread_transport all(place, rank);
    auto const note = [&](std::string const& words, bool is_of_transport) {
        {
            std::lock_guard const lock(place.mutex);
            errors.push_back({rank, std::current_exception(), words, is_of_transport});
        }
        all.leave(words);
    };
    try {
        f(all);
    } catch (distributed_error const& error) {
        note(error.what(), true);
    } catch (std::exception const& error) {
        note(error.what(), false);
    } catch (...) {
        note("it threw something that is no std::exception", false);
    }
}

inline void run_ranks(int ranks, std::function<void(transport&)> const& f, transport_options options) {
    if (ranks < 1)
        fail<std::invalid_argument>({"run_ranks expects 1 or more ranks, but was given ", ranks});
    if (options.patience.count() < 1)
        fail<std::invalid_argument>({"run_ranks expects a patience of 1 ms or more, but was given ",
                                     options.patience.count(), " ms"});
    meeting place(ranks, options);
    std::vector<rank_error> errors;
    std::vector<std::thread> threads;
    try {
        for (int rank = 0; rank < ranks; ++rank)
            threads.emplace_back([&, rank] { run_rank(place, rank, f, errors); });
    } catch (...) { // no more threads are to be had
        place.raise(0,
                    sentence({"only ", threads.size(), " of ", ranks,
                              " ranks could be started: ask for fewer, or allow the process more threads"}));
        for (std::thread& thread : threads)
            thread.join();
        throw;
    }
    for (std::thread& thread : threads)
        thread.join();
    if (errors.empty())
        return;
    auto first = std::ranges::find(errors, false, &rank_error::is_of_transport);
    if (first == errors.end())
        std::rethrow_exception(errors.front().thrown);
    try {
        std::rethrow_exception(first->thrown);
    } catch (...) {
        std::throw_with_nested(distributed_error(
            sentence({"rank ", first->rank, " of ", ranks, " ended with an error: ", first->words})));
    }
}

} // namespace detail

/// Runs f(transport&) on `ranks` threads of their own, each of which is a rank, and returns when all have
/// ended. When a rank throws, the others fail in their next call. Then the first error is thrown, as a
/// distributed_error that names the rank and has what was thrown nested in it; where all errors are the
/// transport's own, the first of them. Throws std::invalid_argument for no ranks, or no patience.
///
/// A thread cannot be ended from outside: a rank that never returns keeps run_ranks from returning.
template <class F>
void run_ranks(int ranks, F&& f, transport_options options = {}) {
    detail::run_ranks(ranks, std::ref(f), options);
}

} // namespace sluice
