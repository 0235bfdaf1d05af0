// SPDX-License-Identifier: BSL-1.0
// The sum of a long array over ranks, in buckets. The gradients of a net come from its last layer to its
// first, and its array lists the first layer first: so the last bucket is there first, and its sum begins
// while the gradients of the others are still computed.
//
//   count = 10, buckets of 4            [0,2)     [2,6)     [6,10)
//                                                            begins, when its numbers are there
//                                                  begins next
//                                        begins last
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
    /// Throws std::invalid_argument for buckets without numbers, and a time below 0; std::logic_error where a
    /// courier is asked for and the transport does not work on several threads.
    bucket_sum(transport& all, sum_tree const& tree, std::size_t count, overlap_options chosen = {})
        : all_(all), tree_(tree), count_(count), chosen_(chosen), next_(buckets()) {
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
    /// The numbers before this one have not begun.
    std::size_t begun_from() const { return next_ == buckets() ? count_ : of(next_).first; }

    /// These numbers are there, on this rank. Throws std::invalid_argument where there are none such.
    void arrived(number_range numbers) {
        if (numbers.first > numbers.last || numbers.last > count_)
            fail<std::invalid_argument>({"bucket_sum has ", count_, " numbers, but was told of those from ",
                                         numbers.first, " to before ", numbers.last});
        if (numbers.size() == 0)
            return;
        // Buckets are counted from the end.
        std::size_t const to = (count_ - numbers.last) / chosen_.bucket;
        std::size_t const from = (count_ - numbers.first - 1) / chosen_.bucket;
        for (std::size_t back = to; back <= from; ++back) {
            std::size_t const bucket = buckets() - 1 - back;
            number_range const its = of(bucket);
            missing_[bucket] -= std::min(missing_[bucket], std::min(its.last, numbers.last) -
                                                               std::max(its.first, numbers.first));
        }
    }
    /// Whether there is a next bucket, and all of it has arrived.
    bool is_next_here() const { return next_ > 0 && missing_[next_ - 1] == 0; }
    number_range next() const { return of(next_ - 1); }

    /// The next bucket begins. nodes [nodes of this rank, count], sum [count]; only the numbers of the bucket
    /// are read, or written. Throws std::logic_error where none is left.
    void begin_next(std::span<S const> nodes, std::span<S> sum) {
        std::lock_guard const lock(mutex_);
        refuse_if_failed();
        if (next_ == 0)
            fail<std::logic_error>({"bucket_sum has begun all its ", buckets(), " buckets; finish them"});
        number_range const its = next();
        std::span<S const> const own = nodes.empty() ? nodes : nodes.subspan(its.first);
        pending_.push_back(all_.start_all_reduce(tree_, own, sum.subspan(its.first, its.size()), count_));
        --next_;
        changed_.notify_all();
    }
    /// All that have not begun.
    void begin_rest(std::span<S const> nodes, std::span<S> sum) {
        while (next_ > 0)
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
        next_ = buckets();
        missing_.resize(next_);
        for (std::size_t bucket = 0; bucket < next_; ++bucket)
            missing_[bucket] = of(bucket).size();
        is_paused_ = false;
    }

private:
    // With the mutex.
    void test_all() {
        for (pending_sum<S>& one : pending_)
            if (!one.test())
                break; // others are behind it
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
    std::size_t next_ = 0;               // buckets before this one have not begun
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
