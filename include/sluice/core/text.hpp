// SPDX-License-Identifier: BSL-1.0
// A string that lives inside a constant expression: formulas and sentences are put together in it.
#pragma once

#include <cstddef>
#include <ostream>
#include <string_view>

namespace sluice {

template <std::size_t N>
struct text {
    char letters[N]{};
    std::size_t length = 0;

    constexpr std::string_view view() const { return {letters, length}; }
    constexpr operator std::string_view() const { return view(); }

    constexpr text& operator<<(std::string_view more) {
        for (char c : more)
            letters[length++] = c;
        return *this;
    }
    constexpr text& operator<<(char c) {
        letters[length++] = c;
        return *this;
    }
    constexpr text& operator<<(std::size_t number) {
        char digits[24]{};
        int count = 0;
        do
            digits[count++] = static_cast<char>('0' + number % 10);
        while (number /= 10);
        while (count > 0)
            letters[length++] = digits[--count];
        return *this;
    }
    friend std::ostream& operator<<(std::ostream& out, text const& t) { return out << t.view(); }
};

} // namespace sluice
