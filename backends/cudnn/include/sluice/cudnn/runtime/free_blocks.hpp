// SPDX-License-Identifier: BSL-1.0
// Free blocks of device memory, kept for the next allocation of the same size.
//
// A graph (cudnn/runtime/graphs.hpp) is launched again where the addresses of its work are those of the last
// time, and changed otherwise, which takes the host longer than small nets take the device. So equal work
// gets equal addresses: of the free blocks of a size the one with the lowest address is taken, in whatever
// order they were given back.
//
//   training step 1    allocates a 512 at 0x1000, b 512 at 0x1200, c 64 at 0x1400; gives back b, c, a
//   training step 2    allocates a 512: 0x1000; b 512: 0x1200; c 64: 0x1400
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace sluice::cudnn {

class free_blocks {
public:
    std::size_t bytes() const { return bytes_; }

    /// A block of exactly this size, or null.
    void* take(std::size_t size) {
        auto const found = by_size_.lower_bound({size, 0});
        if (found == by_size_.end() || found->first.first != size)
            return nullptr;
        auto* const address = reinterpret_cast<void*>(found->first.second);
        by_age_.erase(found->second);
        by_size_.erase(found);
        bytes_ -= size;
        return address;
    }
    /// Throws `std::bad_alloc`, and has not got it then.
    void give(void* address, std::size_t size) {
        auto const at =
            by_age_.emplace(next_, std::pair(size, reinterpret_cast<std::uintptr_t>(address))).first;
        try {
            by_size_.emplace(at->second, next_);
        } catch (...) {
            by_age_.erase(at);
            throw;
        }
        ++next_;
        bytes_ += size;
    }
    /// f(address) for those that were not asked for longest, until no more than so many bytes are left.
    template <class F>
    void drop(std::size_t most, F f) {
        while (bytes_ > most) {
            auto const oldest = by_age_.begin();
            auto const [size, address] = oldest->second;
            by_size_.erase(oldest->second);
            by_age_.erase(oldest);
            bytes_ -= size;
            f(reinterpret_cast<void*>(address));
        }
    }

private:
    using place = std::pair<std::size_t, std::uintptr_t>; // size and address

    std::map<place, std::uint64_t> by_size_{};
    std::map<std::uint64_t, place> by_age_{};
    std::uint64_t next_ = 0;
    std::size_t bytes_ = 0;
};

} // namespace sluice::cudnn
