// SPDX-License-Identifier: BSL-1.0
// Memory of RNN calls on the device: several arrays in one block.
#pragma once

#include <cstddef>
#include <memory>
#include <sluice/cudnn/runtime/queue.hpp>

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

} // namespace sluice::cudnn
