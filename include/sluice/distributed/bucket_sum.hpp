// SPDX-License-Identifier: BSL-1.0
// The sum of a long array over ranks, in buckets. The gradients of a net come from its last layer to its
// first, and the sum of a bucket begins when its numbers are there, while those of others are computed.
//
//   count = 10, buckets of 4                      [0,2)   [2,6)   [6,10)
//   numbers arrive as [6,9)  [0,2)  [2,6)  [9,10)
//   the last ones of a bucket are the             2nd     3rd     4th
//   buckets begin as                              first   second  last
//
// All ranks begin the buckets in this order, whenever each has them, and finish them in this order.
//
// Bytes move when a transport is called. By itself that is so when gradients arrive, and at the end. A
// bucket_sum with a courier has a thread of its own, which calls it as often as it is told to.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <sluice/core/fail.hpp>
#include <sluice/distributed/transport.hpp>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace sluice {

/// How sums of gradients go on while gradients are computed.
struct overlap_options {
    /// Numbers of a bucket.
    std::size_t bucket = std::size_t(1) << 18;
    /// How often a thread moves bytes on; 0: there is no such thread.
    std::chrono::microseconds courier{0};
};

/// It goes before the arrays that it reads and writes do.
template <class S>
class bucket_sum {
public:
    /// `arrivals` are the numbers in the order in which they will arrive, those of the end first where it is
    /// not said; the same on all ranks. Throws std::invalid_argument for buckets without numbers, arrivals
    /// that are none of the numbers, and a time below 0; std::logic_error where a courier is asked for and
    /// the transport does not work on several threads.
    bucket_sum(transport& all, sum_tree const& tree, std::size_t count, overlap_options chosen = {},
               std::vector<number_range> const& arrivals = {})
        : all_(all), tree_(tree), count_(count), chosen_(chosen) {
        if (chosen.bucket == 0)
            fail<std::invalid_argument>({"overlap_options expects buckets of 1 or more numbers, but got 0"});
        if (chosen.courier.count() < 0)
            fail<std::invalid_argument>({"overlap_options expects a courier that comes every 0 us, which is "
                                         "never, or more, but got ",
                                         chosen.courier.count(), " us"});
        if (chosen.courier.count() > 0 && !all.may_change_threads())
            fail<std::logic_error>(
                {"overlap_options with a courier expects a transport that works on several "
                 "threads, but ",
                 all.name(),
                 " was begun for one: begin MPI by sluice::mpi::process, or "
                 "with MPI_THREAD_SERIALIZED"});
        put_in_order(arrivals);
        start_again();
        if (chosen.courier.count() > 0)
            courier_ = std::thread([this] { carry(); });
    }
    bucket_sum(bucket_sum const&) = delete;
    bucket_sum& operator=(bucket_sum const&) = delete;
    ~bucket_sum() {
        if (!courier_.joinable())
            return;
        {
            std::lock_guard const lock(mutex_);
            is_over_ = true;
        }
        changed_.notify_all();
        courier_.join();
    }

    std::size_t buckets() const {
        return chosen_.bucket == 0 ? 0 : count_ / chosen_.bucket + (count_ % chosen_.bucket != 0);
    }
    /// All but the first one have as many numbers as was chosen.
    number_range of(std::size_t bucket) const {
        std::size_t const last = count_ - (buckets() - 1 - bucket) * chosen_.bucket;
        return {last - std::min(last, chosen_.bucket), last};
    }
    /// How many have begun.
    std::size_t begun() const { return begun_; }
    /// f(part, whether its sum has begun) for what buckets have of these numbers.
    template <class F>
    void for_each_part(number_range numbers, F&& f) const {
        for_each_bucket(numbers,
                        [&](std::size_t bucket, number_range part) { f(part, has_begun_[bucket] != 0); });
    }

    /// These numbers are there, on this rank. Throws std::invalid_argument where there are none such.
    void arrived(number_range numbers) {
        for_each_bucket(numbers, [&](std::size_t bucket, number_range part) {
            missing_[bucket] -= std::min(missing_[bucket], part.size());
        });
    }
    /// Whether there is a next bucket, and all of it has arrived.
    bool is_next_here() const { return begun_ < order_.size() && missing_[order_[begun_]] == 0; }
    number_range next() const { return of(order_[begun_]); }

    /// The next bucket begins. nodes [nodes of this rank, count], sum [count]; only the numbers of the bucket
    /// are read, or written. Throws std::logic_error where none is left.
    void begin_next(std::span<S const> nodes, std::span<S> sum) {
        std::lock_guard const lock(mutex_);
        refuse_if_failed();
        if (begun_ == order_.size())
            fail<std::logic_error>({"bucket_sum has begun all its ", buckets(), " buckets; finish them"});
        number_range const its = next();
        std::span<S const> const own = nodes.empty() ? nodes : nodes.subspan(its.first);
        pending_.push_back(all_.start_all_reduce(tree_, own, sum.subspan(its.first, its.size()), count_));
        has_begun_[order_[begun_++]] = 1;
        changed_.notify_all();
    }
    /// All that have not begun.
    void begin_rest(std::span<S const> nodes, std::span<S> sum) {
        while (begun_ < order_.size())
            begin_next(nodes, sum);
    }
    /// Moves bytes on.
    void move_on() {
        std::lock_guard const lock(mutex_);
        refuse_if_failed();
        test_all();
    }
    /// From here on to finish the caller may make other calls.
    void pause() {
        std::lock_guard const lock(mutex_);
        is_paused_ = true;
    }
    /// The sums of all buckets are there, and it is as new.
    void finish() {
        pause();
        refuse_if_failed();
        for (pending_sum<S>& one : pending_)
            one.finish();
        start_again();
    }
    /// Forgets what arrived, and drops what has begun, which ends the transport.
    void start_again() {
        std::lock_guard const lock(mutex_);
        pending_.clear();
        begun_ = 0;
        has_begun_.assign(order_.size(), 0);
        missing_.resize(order_.size());
        for (std::size_t bucket = 0; bucket < missing_.size(); ++bucket)
            missing_[bucket] = of(bucket).size();
        is_paused_ = false;
    }

private:
    // f(bucket, which of the numbers it has), from the first number on.
    template <class F>
    void for_each_bucket(number_range numbers, F&& f) const {
        if (numbers.first > numbers.last || numbers.last > count_)
            fail<std::invalid_argument>({"bucket_sum has ", count_, " numbers, but was told of those from ",
                                         numbers.first, " to before ", numbers.last});
        while (numbers.size() > 0) { // buckets are counted from the end
            std::size_t const bucket = buckets() - 1 - (count_ - numbers.first - 1) / chosen_.bucket;
            std::size_t const last = std::min(numbers.last, of(bucket).last);
            f(bucket, number_range{numbers.first, last});
            numbers.first = last;
        }
    }
    void put_in_order(std::vector<number_range> const& arrivals) {
        std::vector<std::size_t> turns(buckets()); // of the last number
        for (std::size_t turn = 0; turn < arrivals.size(); ++turn)
            for_each_bucket(arrivals[turn], [&](std::size_t bucket, number_range) { turns[bucket] = turn; });
        for (std::size_t bucket = buckets(); bucket-- > 0;)
            order_.push_back(bucket);
        std::ranges::stable_sort(order_, {}, [&](std::size_t bucket) { return turns[bucket]; });
    }
    // With the mutex.
    void test_all() {
        for (pending_sum<S>& one : pending_)
            if (!one.test())
                break; // others come after it
    }
    void refuse_if_failed() {
        if (failure_)
            std::rethrow_exception(failure_);
    }
    // What the courier does.
    void carry() {
        std::unique_lock lock(mutex_);
        while (!is_over_) {
            if (pending_.empty() || is_paused_ || failure_) {
                changed_.wait(lock);
                continue;
            }
            try {
                test_all();
            } catch (...) {
                failure_ = std::current_exception();
            }
            changed_.wait_for(lock, chosen_.courier);
        }
    }

    transport& all_;
    sum_tree tree_;
    std::size_t count_;
    overlap_options chosen_;
    std::vector<std::size_t> order_{};   // in which buckets begin
    std::size_t begun_ = 0;              // of these
    std::vector<char> has_begun_{};      // of each bucket
    std::vector<std::size_t> missing_{}; // numbers, of each bucket
    std::vector<pending_sum<S>> pending_{};
    // Of what follows, and of the pending sums and the transport until pause.
    std::mutex mutex_{};
    std::condition_variable changed_{};
    std::exception_ptr failure_{};
    bool is_paused_ = false;
    bool is_over_ = false;
    std::thread courier_{};
};

} // namespace sluice
