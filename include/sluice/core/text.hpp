// SPDX-License-Identifier: BSL-1.0
// A text that a constant expression can put together: formulas, sentences and plans. `constant_of`
// (core/constant_of.hpp) keeps one as a constant of the program.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <ostream>
#include <sluice/core/decimal.hpp>
#include <sluice/core/list.hpp>
#include <string_view>

namespace sluice {

/// A text is its letters and nothing else.
struct no_facts {};

template <template <class> class List>
struct basic_text {
    using view_type = basic_text<sluice::view>;

    List<char> letters{};

    constexpr basic_text() = default;
    constexpr explicit basic_text(no_facts) {}
    template <class F>
    constexpr decltype(auto) lists(F&& f) {
        return f(letters);
    }
    constexpr no_facts facts() const { return {}; }

    constexpr std::string_view view() const {
        return {letters.begin(), static_cast<std::size_t>(letters.size())};
    }
    constexpr operator std::string_view() const { return view(); }
    friend std::ostream& operator<<(std::ostream& out, basic_text const& t) { return out << t.view(); }
};

/// A text that grows.
struct text : basic_text<list> {
    constexpr text& operator<<(char c) {
        letters.push_back(c);
        return *this;
    }
    constexpr text& operator<<(std::string_view more) {
        for (char c : more)
            letters.push_back(c);
        return *this;
    }
    constexpr text& operator<<(char const* more) { return *this << std::string_view(more); }
    template <std::integral Number>
    constexpr text& operator<<(Number number) {
        char digits[24]{};
        int count = 0;
        bool negative = false;
        if constexpr (std::signed_integral<Number>)
            negative = number < 0;
        do {
            int const digit = static_cast<int>(number % 10);
            digits[count++] = static_cast<char>('0' + (negative ? -digit : digit));
            number = static_cast<Number>(number / 10);
        } while (number != 0);
        if (negative)
            *this << '-';
        while (count > 0)
            *this << digits[--count];
        return *this;
    }
    /// The fewest digits that read back to the number: 0.5, 1e-8, 3.141592653589793
    constexpr text& operator<<(double number) {
        if (number != number)
            return *this << "nan";
        if (number < 0)
            return *this << '-' << -number;
        if (number > std::numeric_limits<double>::max())
            return *this << "inf";
        auto const [digits, power] = shortest_decimal(number);
        text all;
        all << digits;
        std::string_view const figures = all;
        int const count = all.letters.size(), exponent = power + count - 1;
        bool const scientific = exponent < -4 || exponent > 14;
        int const point = scientific ? 1 : exponent + 1; // so many figures stand in front of it
        for (int i = point < 1 ? point - 1 : 0; i < count || i < point; ++i) {
            if (i == point)
                *this << '.';
            *this << (i >= 0 && i < count ? figures[static_cast<std::size_t>(i)] : '0');
        }
        if (scientific)
            *this << 'e' << exponent;
        return *this;
    }
};

} // namespace sluice
