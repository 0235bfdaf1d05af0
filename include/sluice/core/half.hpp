// SPDX-License-Identifier: BSL-1.0
// Scalars of 16 bits, in which numbers are kept and never computed: a cell of them is computed in float
// (core/arithmetic.hpp), and takes half of the memory.
//
//   half       IEEE 754 binary16: 11 binary digits, up to 65504, down to 2^-24
//   bfloat16   the upper half of a float: 8 binary digits, and the range of a float
//
// A float is rounded to the nearest, of two to the even one; a NaN stays a NaN. They have no
// operators: to compute in them is an error of the compiler.
#pragma once

#include <bit>
#include <cstdint>
#include <sluice/core/arithmetic.hpp>

namespace sluice {

class half {
public:
    half() = default;
    constexpr explicit half(float number) {
        auto const all = std::bit_cast<std::uint32_t>(number);
        std::uint32_t const size = all & 0x7fffffff;
        bits_ = static_cast<std::uint16_t>(all >> 16 & 0x8000);
        if (size > 0x7f800000) // a NaN: its upper digits, and that of quiet ones
            bits_ |= static_cast<std::uint16_t>(0x7e00 | (size >> 13 & 0x1ff));
        else if (size >= 0x477ff000) // half of the way from 65504 to 2^16, and more
            bits_ |= 0x7c00;
        else if (size >= 0x38800000) // 2^-14: the smallest with all digits
            bits_ |= static_cast<std::uint16_t>((size + 0xfff + (size >> 13 & 1) - 0x38000000) >> 13);
        else if (size >= 0x33000000) { // 2^-25: half of the smallest
            std::uint32_t const digits = (size & 0x7fffff) | 0x800000;
            std::uint32_t const lost = 126 - (size >> 23), half_way = std::uint32_t(1) << (lost - 1);
            bits_ |= static_cast<std::uint16_t>((digits + half_way - 1 + (digits >> lost & 1)) >> lost);
        }
    }
    constexpr explicit operator float() const {
        std::uint32_t const sign = std::uint32_t(bits_ & 0x8000) << 16, size = bits_ & 0x7fff;
        if (size >= 0x7c00) // infinity and NaN
            return std::bit_cast<float>(sign | 0x7f800000 | (size & 0x3ff) << 13);
        if (size >= 0x400)
            return std::bit_cast<float>(sign | ((size << 13) + 0x38000000));
        float const small = static_cast<float>(size) * 0x1p-24f;
        return sign == 0 ? small : -small;
    }

private:
    std::uint16_t bits_ = 0;
};

class bfloat16 {
public:
    bfloat16() = default;
    constexpr explicit bfloat16(float number) {
        auto const all = std::bit_cast<std::uint32_t>(number);
        std::uint32_t const nearest = all + 0x7fff + ((all >> 16) & 1);
        bits_ = static_cast<std::uint16_t>((number != number ? all | 0x400000 : nearest) >> 16);
    }
    constexpr explicit operator float() const { return std::bit_cast<float>(std::uint32_t(bits_) << 16); }

private:
    std::uint16_t bits_ = 0;
};

template <>
struct arithmetic<half> {
    using type = float;
    static constexpr double largest = 65504;
};
template <>
struct arithmetic<bfloat16> {
    using type = float;
    static constexpr double largest = 0x1.fep127;
};

} // namespace sluice
