// SPDX-License-Identifier: BSL-1.0
// A string that lives inside a constant expression: formulas and sentences are put together in it.
#pragma once

#include <cstddef>
#include <ostream>
#include <sluice/core/decimal.hpp>
#include <stdexcept>
#include <string_view>

namespace sluice {

template <std::size_t N>
struct text {
    char letters[N]{};
    std::size_t length = 0;

    constexpr std::string_view view() const { return {letters, length}; }
    constexpr operator std::string_view() const { return view(); }

    constexpr text& operator<<(char c) {
        if (length == N)
            throw std::length_error("sluice: a text is full; shorten the names that are printed");
        letters[length++] = c;
        return *this;
    }
    constexpr text& operator<<(std::string_view more) {
        for (char c : more)
            *this << c;
        return *this;
    }
    constexpr text& operator<<(std::size_t number) {
        char digits[24]{};
        int count = 0;
        do
            digits[count++] = static_cast<char>('0' + number % 10);
        while (number /= 10);
        while (count > 0)
            *this << digits[--count];
        return *this;
    }
    /// The fewest digits that read back to the number: 0.5, 1e-8, 3.141592653589793
    constexpr text& operator<<(double number) {
        if (number < 0)
            return *this << '-' << -number;
        auto const [digits, power] = shortest_decimal(number);
        text<24> figures;
        figures << std::size_t(digits);
        int const count = static_cast<int>(figures.length), exponent = power + count - 1;
        bool const scientific = exponent < -4 || exponent > 14;
        int const point = scientific ? 1 : exponent + 1; // so many figures stand in front of it
        for (int i = point < 1 ? point - 1 : 0; i < count || i < point; ++i) {
            if (i == point)
                *this << '.';
            *this << (i >= 0 && i < count ? figures.letters[i] : '0');
        }
        if (scientific)
            *this << (exponent < 0 ? "e-" : "e")
                  << static_cast<std::size_t>(exponent < 0 ? -exponent : exponent);
        return *this;
    }
    friend std::ostream& operator<<(std::ostream& out, text const& t) { return out << t.view(); }
};

} // namespace sluice
