// SPDX-License-Identifier: BSL-1.0
// Uninitialised arrays that begin with a cache line: to fill them with zeros would take as long as a copy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <sluice/core/arithmetic.hpp>
#include <vector>

namespace sluice::detail {

template <class T>
struct cache_line_allocator {
    using value_type = T;
    static constexpr std::align_val_t alignment{64};

    cache_line_allocator() = default;
    template <class U>
    cache_line_allocator(cache_line_allocator<U> const&) {}

    T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), alignment)); }
    void deallocate(T* memory, std::size_t) { ::operator delete(memory, alignment); }
    template <class U>
    void construct(U* place) {
        ::new (static_cast<void*>(place)) U;
    }
    friend bool operator==(cache_line_allocator, cache_line_allocator) { return true; }
};

template <class T>
using unwritten = std::vector<T, cache_line_allocator<T>>;

/// Numbers that are written before they are read; where assertions are on they start as NaN, so that a test
/// sees if not.
template <class S>
unwritten<S> numbers_to_write(std::size_t count) {
    unwritten<S> made(count);
#ifndef NDEBUG
    std::fill(made.begin(), made.end(), rounded<S>(std::numeric_limits<arithmetic_of<S>>::quiet_NaN()));
#endif
    return made;
}

} // namespace sluice::detail
