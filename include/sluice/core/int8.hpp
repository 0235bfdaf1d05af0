// SPDX-License-Identifier: BSL-1.0
// Weights of 8 bits: a column of a matrix as whole numbers from -127 to 127, and one float by which they are
// multiplied. Of a column w[0 .. K), its numbers rounded to float:
//
//   scale = max |w[k]| / 127            q[k] = the whole number nearest to w[k] / scale, of two the even one
//
// and the number that is kept is q[k] * scale, rounded to float: off by at most scale / 2, but for that
// rounding. What was kept gives the same whole numbers when it is rounded again, and a scale that differs by
// one unit in the last place at most. The limits:
//
//   all zero                      scale 0, every q 0
//   a NaN, or an infinity         scale NaN, every q 0: every number of the column, and every sum of its
//                                 products, is a NaN; so it is with a double that no float can hold
//   max |w| < 127 * 2^-126        scale 2^-126, the smallest normal float, and smaller q; a column of which
//                                 no q would be other than 0, max |w| <= 2^-127, is one of zeros
//   max |w| = the largest float   127 * scale is still a float
//
// So a scale is NaN, 0 or a normal float, and so is every number that is kept.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sluice/core/arithmetic.hpp>

namespace sluice {

/// A whole number of 8 bits, which needs a scale to be a weight. No scalar: to compute in it, or to make a
/// cell of it, is an error of the compiler.
class int8 {
public:
    int8() = default;
    constexpr explicit int8(int number) : number_(static_cast<std::int8_t>(number)) {}
    constexpr explicit operator int() const { return number_; }
    bool operator==(int8 const&) const = default;

private:
    std::int8_t number_ = 0;
};

/// The largest scale: 127 of it are a float.
inline constexpr float largest_int8_scale = [] {
    constexpr float largest = std::numeric_limits<float>::max(), quotient = largest / 127;
    return 127. * double(quotient) <= double(largest)
               ? quotient
               : std::bit_cast<float>(std::bit_cast<std::uint32_t>(quotient) - 1);
}();

/// Finds the scale of a column from its numbers, given in any order.
class int8_range {
public:
    constexpr void add(float number) {
        largest_ = std::max(largest_, std::bit_cast<std::uint32_t>(number) & 0x7fffffffu);
    }
    constexpr float scale() const {
        constexpr std::uint32_t infinity = 0x7f800000u, half_of_smallest = 0x00400000u; // 2^-127
        if (largest_ >= infinity)
            return std::numeric_limits<float>::quiet_NaN();
        if (largest_ <= half_of_smallest)
            return 0;
        return std::clamp(std::bit_cast<float>(largest_) / 127, std::numeric_limits<float>::min(),
                          largest_int8_scale);
    }

private:
    std::uint32_t largest_ = 0; ///< the bits of a float without its sign, which are in the order of floats
};

/// The scale of the column first[0], first[stride] .. first[(count - 1) * stride].
template <storage_scalar S>
constexpr float int8_scale(S const* first, std::size_t count, std::size_t stride = 1) {
    int8_range range;
    for (std::size_t k = 0; k < count; ++k)
        range.add(static_cast<float>(widened(first[k * stride])));
    return range.scale();
}

/// The whole number of a weight in a column of this scale.
constexpr int8 int8_of(float weight, float scale) {
    if (scale == 0 || (std::bit_cast<std::uint32_t>(scale) & 0x7fffffffu) > 0x7f800000u)
        return int8(0);
    float const exact = weight / scale;
    float const bounded = exact > -127 ? (exact < 127 ? exact : 127.f) : -127.f;
    int const towards_zero = static_cast<int>(bounded);
    float const rest = bounded - static_cast<float>(towards_zero); // exact
    bool const is_odd = towards_zero % 2 != 0;
    int const up = rest > 0.5f || (rest == 0.5f && is_odd), down = rest < -0.5f || (rest == -0.5f && is_odd);
    return int8(towards_zero + up - down);
}

/// The weight that is kept.
constexpr float int8_value(int8 number, float scale) {
    return static_cast<float>(static_cast<int>(number)) * scale;
}

} // namespace sluice
