// SPDX-License-Identifier: BSL-1.0
// Memory that a cell keeps from one run to the next: a training asks for the same blocks at every step, and
// the system takes longer to hand out fresh pages than a block takes to compute.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace sluice {

/// Blocks that nobody uses now. Threads may share it.
template <class S>
class memory_pool {
public:
    struct block {
        std::unique_ptr<S[]> values{};
        std::size_t capacity = 0;
    };

    /// A block of at least `count` numbers that is not more than twice as large.
    block take(std::size_t count) {
        std::lock_guard const lock(mutex_);
        auto best = free_.end();
        for (auto it = free_.begin(); it != free_.end(); ++it)
            if (it->capacity >= count && it->capacity <= 2 * count &&
                (best == free_.end() || it->capacity < best->capacity))
                best = it;
        if (best == free_.end())
            return {std::make_unique_for_overwrite<S[]>(count), count};
        block found = std::move(*best);
        free_.erase(best);
        return found;
    }
    /// Beyond `most` blocks the oldest go back to the system.
    void give(block used) {
        std::lock_guard const lock(mutex_);
        free_.push_back(std::move(used));
        if (free_.size() > most)
            free_.erase(free_.begin());
    }

private:
    static constexpr std::size_t most = 64;
    std::mutex mutex_{};
    std::vector<block> free_{};
};

/// A block of a pool, written before it is read; where assertions are on it starts as NaN, so that a test
/// sees if not.
template <class S>
class scratch {
public:
    scratch() = default;
    scratch(std::shared_ptr<memory_pool<S>> pool, std::size_t count)
        : pool_(std::move(pool)), block_(pool_->take(count)), count_(count) {
#ifndef NDEBUG
        std::fill_n(data(), count, std::numeric_limits<S>::quiet_NaN());
#endif
    }
    scratch(scratch&& other) noexcept
        : pool_(std::move(other.pool_)), block_(std::move(other.block_)),
          count_(std::exchange(other.count_, 0)) {}
    scratch& operator=(scratch&& other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(block_, other.block_);
        std::swap(count_, other.count_);
        return *this;
    }
    ~scratch() {
        if (pool_)
            pool_->give(std::move(block_));
    }

    S* data() const {
        return block_.values.get();
    }
    std::size_t size() const {
        return count_;
    }

private:
    std::shared_ptr<memory_pool<S>> pool_{};
    typename memory_pool<S>::block block_{};
    std::size_t count_ = 0;
};

} // namespace sluice
