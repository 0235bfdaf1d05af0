// SPDX-License-Identifier: BSL-1.0
// A scalar that is storage and nothing else: the upper half of a float. It has no operator, so that the compiler finds
// whoever computes in it.
#pragma once

#include <bit>
#include <cstdint>
#include <sluice/checkpoint/dtype.hpp>
#include <sluice/core/arithmetic.hpp>

namespace support {

class bfloat16 {
public:
    bfloat16() = default;
    /// To the nearest, of two to the even one; a NaN stays a NaN.
    constexpr explicit bfloat16(float number) {
        auto const all = std::bit_cast<std::uint32_t>(number);
        std::uint32_t const nearest = all + 0x7fff + ((all >> 16) & 1);
        bits_ = static_cast<std::uint16_t>((number != number ? all | 0x400000 : nearest) >> 16);
    }
    constexpr explicit operator float() const { return std::bit_cast<float>(std::uint32_t(bits_) << 16); }

private:
    std::uint16_t bits_ = 0;
};

/// The largest error of rounding, relative to the number: it has 8 binary digits.
constexpr double rounding_of_bfloat16 = 0x1p-8;

} // namespace support

template <>
struct sluice::arithmetic<support::bfloat16> {
    using type = float;
    static constexpr double largest = 0x1.fep127;
};
template <>
inline constexpr std::optional<sluice::dtype> sluice::dtype_entry<support::bfloat16> = sluice::dtype::bf16;
