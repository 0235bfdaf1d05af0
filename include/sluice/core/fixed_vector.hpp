// SPDX-License-Identifier: BSL-1.0
// A vector of at most N elements that lives inside a constant expression: what every pass works on.
#pragma once

#include <cstddef>
#include <stdexcept>

namespace sluice {

template <class T, std::size_t N>
struct fixed_vector {
    T items[N == 0 ? 1 : N]{};
    int count = 0;

    constexpr int size() const { return count; }
    constexpr bool empty() const { return count == 0; }

    constexpr T& operator[](int i) { return items[i]; }
    constexpr T const& operator[](int i) const { return items[i]; }

    constexpr T* begin() { return items; }
    constexpr T* end() { return items + count; }
    constexpr T const* begin() const { return items; }
    constexpr T const* end() const { return items + count; }

    /// Appends and returns the index of what was appended. More than N is an error of the library; it stops
    /// a constant expression too.
    constexpr int push_back(T const& item) {
        if (count == static_cast<int>(N))
            throw std::length_error(
                "sluice: a fixed_vector is full; give it the capacity that its use needs");
        items[count] = item;
        return count++;
    }

    constexpr void clear() { count = 0; }

    constexpr int find(T const& item) const {
        for (int i = 0; i < count; ++i)
            if (items[i] == item)
                return i;
        return -1;
    }
    constexpr bool contains(T const& item) const { return find(item) >= 0; }
};

} // namespace sluice
