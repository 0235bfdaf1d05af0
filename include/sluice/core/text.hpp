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
    /// The fewest digits that say the number: 0.5, 1e-8, 3.14159265358979
    constexpr text& operator<<(double number) {
        if (number < 0)
            return *this << '-' << -number;
        int exponent = 0;
        for (; number >= 10; number /= 10)
            ++exponent;
        for (; number > 0 && number < 1; number *= 10)
            --exponent;
        std::size_t digits = 0, scale = 1;
        for (int count = 1; count <= 16; ++count, scale *= 10) { // digits / scale, between 1 and 10
            digits = static_cast<std::size_t>(number * static_cast<double>(scale) + 0.5);
            double const off = static_cast<double>(digits) / static_cast<double>(scale) - number;
            if (off < 1e-14 && off > -1e-14)
                break;
        }
        if (digits == 10 * scale) {
            digits = scale = 1;
            ++exponent;
        }
        bool const scientific = exponent < -4 || exponent > 14;
        for (int e = scientific ? 0 : exponent; e > 0; --e)
            scale > 1 ? scale /= 10 : digits *= 10;
        for (int e = scientific ? 0 : exponent; e < 0; ++e)
            scale *= 10;
        *this << digits / scale;
        if (scale > 1)
            *this << '.';
        while (scale > 1)
            *this << static_cast<char>('0' + digits / (scale /= 10) % 10);
        if (scientific)
            *this << (exponent < 0 ? "e-" : "e")
                  << static_cast<std::size_t>(exponent < 0 ? -exponent : exponent);
        return *this;
    }
    friend std::ostream& operator<<(std::ostream& out, text const& t) { return out << t.view(); }
};

} // namespace sluice
