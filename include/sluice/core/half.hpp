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

namespace detail {

// How bits become others, as functions and as the text of the same functions in the source of kernels
// (source/source_scalar.hpp).
#define SLUICE_WITH_TEXT(text, ...)                                                                          \
    constexpr __VA_ARGS__ inline constexpr char const text[] = "__device__ inline " #__VA_ARGS__ "\n";

// clang-format off
SLUICE_WITH_TEXT(half_of_text,
unsigned int half_of(unsigned int all) {
    unsigned int const size = all & 0x7fffffffu, sign = all >> 16 & 0x8000u;
    if (size > 0x7f800000u) /* a NaN: its upper digits, and that of quiet ones */
        return sign | 0x7e00u | (size >> 13 & 0x1ffu);
    if (size >= 0x477ff000u) /* half of the way from 65504 to 2^16, and more */
        return sign | 0x7c00u;
    if (size >= 0x38800000u) /* 2^-14: the smallest with all digits */
        return sign | ((size + 0xfffu + (size >> 13 & 1u) - 0x38000000u) >> 13);
    if (size < 0x33000000u) /* 2^-25: half of the smallest */
        return sign;
    unsigned int const digits = (size & 0x7fffffu) | 0x800000u;
    unsigned int const lost = 126u - (size >> 23), half_way = 1u << (lost - 1u);
    return sign | ((digits + half_way - 1u + (digits >> lost & 1u)) >> lost);
})
SLUICE_WITH_TEXT(float_of_half_text,
unsigned int float_of_half(unsigned int half) {
    unsigned int const size = half & 0x7fffu, sign = (half & 0x8000u) << 16;
    if (size >= 0x7c00u) /* infinity and NaN */
        return sign | 0x7f800000u | (size & 0x3ffu) << 13;
    if (size >= 0x400u)
        return sign | ((size << 13) + 0x38000000u);
    if (size == 0u)
        return sign;
    unsigned int place = 9u; /* of the first digit: the number is size 2^-24 */
    while ((size >> place) == 0u)
        --place;
    return sign | (place + 103u) << 23 | (size << (23u - place) & 0x7fffffu);
})
SLUICE_WITH_TEXT(bfloat16_of_text,
unsigned int bfloat16_of(unsigned int all) {
    unsigned int const nearest = all + 0x7fffu + (all >> 16 & 1u);
    return ((all & 0x7fffffffu) > 0x7f800000u ? all | 0x400000u : nearest) >> 16;
})
// clang-format on
#undef SLUICE_WITH_TEXT

} // namespace detail

class half {
public:
    half() = default;
    constexpr explicit half(float number)
        : bits_(static_cast<std::uint16_t>(detail::half_of(std::bit_cast<std::uint32_t>(number)))) {}
    constexpr explicit operator float() const { return std::bit_cast<float>(detail::float_of_half(bits_)); }

private:
    std::uint16_t bits_ = 0;
};

class bfloat16 {
public:
    bfloat16() = default;
    constexpr explicit bfloat16(float number)
        : bits_(static_cast<std::uint16_t>(detail::bfloat16_of(std::bit_cast<std::uint32_t>(number)))) {}
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
