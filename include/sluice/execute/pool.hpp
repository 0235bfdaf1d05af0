// SPDX-License-Identifier: BSL-1.0
// Memory that a cell keeps from one run to the next: a training asks for the same blocks at every step, and
// the system takes longer to hand out fresh pages than a block takes to compute. Backends of devices keep
// free memory themselves.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <sluice/core/arithmetic.hpp>
#include <utility>
#include <vector>

namespace sluice {

/// The kernels of a backend (backend/kernels.hpp), and blocks of its memory that are free. Threads may
/// share it.
template <class S, class Kernels>
class memory_pool {
public:
    struct block {
        S* values = nullptr;
        std::size_t capacity = 0;
    };

    memory_pool() { free_.reserve(most + 1); }
    memory_pool(memory_pool const&) = delete;
    memory_pool& operator=(memory_pool const&) = delete;
    ~memory_pool() {
        for (block const& b : free_)
            release(b);
    }

    Kernels const& kernels() const { return kernels_; }

    /// A block of at least `count` numbers that is not more than twice as large.
    block take(std::size_t count) {
        if constexpr (!Kernels::is_host)
            return {kernels_.template allocate<S>(count), count};
        std::lock_guard const lock(mutex_);
        auto best = free_.end();
        for (auto it = free_.begin(); it != free_.end(); ++it)
            if (it->capacity >= count && it->capacity <= 2 * count &&
                (best == free_.end() || it->capacity < best->capacity))
                best = it;
        if (best == free_.end())
            return {kernels_.template allocate<S>(count), count};
        block const found = *best;
        free_.erase(best);
        return found;
    }
    /// Beyond `most` blocks the oldest go back to the system.
    void give(block used) {
        if constexpr (!Kernels::is_host)
            return release(used);
        std::lock_guard const lock(mutex_);
        free_.push_back(used);
        if (free_.size() > most) {
            release(free_.front());
            free_.erase(free_.begin());
        }
    }

private:
    static constexpr std::size_t most = 64;
    Kernels kernels_{};
    std::mutex mutex_{};
    std::vector<block> free_{};

    void release(block const& b) { kernels_.release(b.values, b.capacity); }
};

/// A block of a pool, written before it is read; where assertions are on it starts as NaN, so that a test
/// sees if not.
template <class S, class Kernels>
class scratch {
public:
    scratch() = default;
    scratch(std::shared_ptr<memory_pool<S, Kernels>> pool, std::size_t count)
        : pool_(std::move(pool)), block_(pool_->take(count)), count_(count) {
#ifndef NDEBUG
        auto const nothing = std::numeric_limits<arithmetic_of<S>>::quiet_NaN();
        std::vector<S> const unwritten(count, rounded<S>(nothing));
        pool_->kernels().upload(count, unwritten.data(), data());
#endif
    }
    scratch(scratch&& other) noexcept
        : pool_(std::move(other.pool_)), block_(other.block_), count_(std::exchange(other.count_, 0)) {}
    scratch& operator=(scratch&& other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(block_, other.block_);
        std::swap(count_, other.count_);
        return *this;
    }
    ~scratch() {
        if (pool_)
            pool_->give(block_);
    }

    S* data() const {
        return block_.values;
    }
    std::size_t size() const {
        return count_;
    }

private:
    std::shared_ptr<memory_pool<S, Kernels>> pool_{};
    typename memory_pool<S, Kernels>::block block_{};
    std::size_t count_ = 0;
};

} // namespace sluice
