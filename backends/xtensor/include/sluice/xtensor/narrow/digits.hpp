// SPDX-License-Identifier: BSL-1.0
// Rows of floats as whole numbers, for machines that multiply bytes: of each row a power of two, and digits
// of 8 bits with a sign.
//
//   x[k] = unit * X[k]        X[k] = d_0[k] + base d_1[k] + base^2 d_2[k],  the whole number nearest to
//                                    x[k] / unit;  -base / 2 <= d < base / 2
//
// The largest |X| of a row is from 2^(bits - 1) to 2^bits. With three digits of base 256 that is 22 bits,
// nearly as fine as floats are; with two of base 128 it is 12, which is 16 times finer than weights of 8
// bits are.
//
//   row (1, -0.5, 0.25) from row 1 of a word on    of each digit 4 bytes: d(0), d(1), d(-0.5), d(0.25)
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sluice::xtensor {

/// So many digits of a base, for whole numbers of so many bits. No digits: the machine multiplies no bytes.
template <int Digits, int Base, int Bits>
struct digit_format {
    static constexpr int digits = Digits, base = Base, bits = Bits;
};
/// For the machine's product of 4 bytes without a sign and 4 with one. It is part of the name of what depends
/// on it, as lanes are.
#if defined __AVX512VNNI__ && defined __AVX512F__
using machine_digits = digit_format<3, 256, 22>;
#elif defined __AVX512BW__ || (defined __AVX2__ && !defined __AVX512F__)
using machine_digits = digit_format<2, 128, 12>;
#else
using machine_digits = digit_format<0, 256, 0>;
#endif

/// The digits of one row, each in words of four numbers.
template <class Format = machine_digits>
struct digits_of_row {
    static constexpr std::size_t count = static_cast<std::size_t>(Format::digits);

    std::uint32_t const* words = nullptr; ///< [count][words of a digit]
    std::size_t next = 0;                 ///< words of a digit
    float unit = 0;
    std::array<std::int32_t, count> sums{}; ///< of each digit, over the row

    /// Words of a digit of k numbers, after `before` unused places of the first word.
    static constexpr std::size_t words_of(std::size_t before, std::size_t k) { return (before + k + 3) / 4; }

    /// Whether a row can be written so: its numbers are finite, and the largest is zero or at least 2^-63.
    /// `largest` becomes the bits of the largest.
    static bool can_write(std::size_t k, float const* x, std::uint32_t& largest) {
        std::uint32_t found = 0;
        for (std::size_t i = 0; i < k; ++i)
            found = std::max(found, std::bit_cast<std::uint32_t>(x[i]) & 0x7fffffffu);
        largest = found;
        return found < 0x7f800000u && (found == 0 || found >= 64u << 23);
    }
    /// Writes a row that can be written. To `words` go count * words_of(before, k).
    static digits_of_row write(std::size_t before, std::size_t k, float const* x, std::uint32_t largest,
                               std::uint32_t* words) {
        constexpr int bits = Format::bits;
        digits_of_row row{.words = words, .next = words_of(before, k)};
        std::fill_n(words, count * row.next, 0u);
        if (largest == 0)
            return row;
        int const exponent = static_cast<int>(largest >> 23) - 127; // largest < 2^(exponent + 1)
        auto const power = [](int e) {
            return std::bit_cast<float>(static_cast<std::uint32_t>(e + 127) << 23);
        };
        row.unit = power(exponent + 1 - bits);
        float const factor = power(bits - 1 - exponent);
        auto* const bytes = reinterpret_cast<std::uint8_t*>(words) + before;
        for (std::size_t first = 0; first < k; first += block)
            write_block(x + first, std::min(block, k - first), factor, bytes + first, row);
        return row;
    }

private:
    static constexpr std::size_t block = 64; ///< numbers at a time, which a compiler sees side by side

    static void write_block(float const* x, std::size_t given, float factor, std::uint8_t* to,
                            digits_of_row& row) {
        constexpr int base = Format::base;
        constexpr float rounds = 0x1.8p23f; // beside it a float is whole, and its last bits are that number
        std::array<float, block> numbers{};
        std::array<std::int32_t, block> left;
        std::array<std::uint8_t, block> digits;
        std::copy_n(x, given, numbers.data());
        for (std::size_t i = 0; i < block; ++i)
            left[i] = std::bit_cast<std::int32_t>(numbers[i] * factor + rounds) -
                      std::bit_cast<std::int32_t>(rounds);
        for (std::size_t p = 0; p < Format::digits; ++p) {
            std::int32_t sum = 0;
            for (std::size_t i = 0; i < block; ++i) {
                std::int32_t const digit = ((left[i] + base / 2) & (base - 1)) - base / 2;
                sum += digit;
                left[i] = (left[i] - digit) >> std::countr_zero(static_cast<unsigned>(base)); // exact
                digits[i] = static_cast<std::uint8_t>(digit);
            }
            row.sums[p] += sum;
            std::copy_n(digits.data(), given, to + p * 4 * row.next);
        }
    }
};

} // namespace sluice::xtensor
