// SPDX-License-Identifier: BSL-1.0
// Memory of RNN calls on the device: several arrays in one block, and weights that follow the parameters.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <sluice/cudnn/queue.hpp>
#include <utility>

namespace sluice::cudnn {

/// Arrays side by side in one block of device memory, each on an address that is a multiple of 256.
class device_arrays {
public:
    /// Asks for one more; gives its offset.
    std::size_t add(std::size_t bytes) {
        constexpr std::size_t step = 256;
        std::size_t const first = total_;
        total_ += (bytes + step - 1) / step * step;
        return first;
    }
    void allocate(std::shared_ptr<queue> const& q) {
        queue_ = q;
        block_ = queue::block(*q, total_);
    }
    void* at(std::size_t offset) const { return static_cast<char*>(block_.data()) + offset; }

private:
    std::size_t total_ = 0;
    std::shared_ptr<queue> queue_{}; ///< which outlives the block
    queue::block block_{};
};

/// The weight space of a network. It is sent when it is needed for the first time after the parameters have
/// changed; copies share it until then.
class rnn_weights {
public:
    rnn_weights() = default;
    rnn_weights(rnn_weights const& other) {
        std::lock_guard const lock(other.mutex_);
        sent_ = other.sent_;
        is_stale_ = other.is_stale_;
    }
    rnn_weights& operator=(rnn_weights const& other) {
        rnn_weights copy(other);
        std::scoped_lock const lock(mutex_);
        std::swap(sent_, copy.sent_);
        is_stale_ = copy.is_stale_;
        return *this;
    }
    ~rnn_weights() = default;

    /// The parameters have changed.
    void outdate() {
        std::lock_guard const lock(mutex_);
        is_stale_ = true;
    }
    /// The weight space; `numbers()` gives its numbers as the host has them, and is called if they are
    /// to be sent.
    template <class Numbers>
    std::shared_ptr<void const> get(std::shared_ptr<queue> const& q, std::size_t bytes,
                                    Numbers const& numbers) const {
        std::lock_guard const lock(mutex_);
        if (is_stale_) {
            if (!sent_ || sent_.use_count() > 1 || sent_->bytes != bytes)
                sent_ = std::make_shared<space>(q, bytes);
            auto const all = numbers();
            q->upload(all.data(), bytes, sent_->arrays.at(0));
            is_stale_ = false;
        }
        return {sent_, sent_->arrays.at(0)};
    }

private:
    struct space {
        std::size_t bytes;
        device_arrays arrays{};
        space(std::shared_ptr<queue> const& q, std::size_t count) : bytes(count) {
            arrays.add(count);
            arrays.allocate(q);
        }
    };
    mutable std::mutex mutex_{};
    mutable std::shared_ptr<space> sent_{};
    mutable bool is_stale_ = true;
};

} // namespace sluice::cudnn
