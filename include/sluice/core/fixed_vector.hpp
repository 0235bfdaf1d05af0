// SPDX-License-Identifier: BSL-1.0
// A vector of at most N elements that lives inside a constant expression: what every pass works on.
#pragma once

#include <cstddef>

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

    /// Appends and returns the index of what was appended. Past the end it is an error of the library, which
    /// a constant expression reports as an access outside the array.
    constexpr int push_back(T const& item) {
        items[count] = item;
        return count++;
    }

    constexpr int find(T const& item) const {
        for (int i = 0; i < count; ++i)
            if (items[i] == item)
                return i;
        return -1;
    }
    constexpr bool contains(T const& item) const { return find(item) >= 0; }
};

} // namespace sluice
