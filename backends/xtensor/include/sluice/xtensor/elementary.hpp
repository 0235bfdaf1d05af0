// SPDX-License-Identifier: BSL-1.0
// Elementary functions of batches that xsimd has not, or not for all numbers. The logarithm:
//
//   z = 2^n m,  1/sqrt(2) <= m < sqrt(2),  f = m - 1,  s = f / (2 + f),  |s| < 0.172
//   log z = n log 2 + 2 s (1 + s^2/3 + s^4/5 + ...)
//
//   relative error, at most      float 2e-7, double 4e-16
//
// The logarithm of 0 is -infinity, of a negative number a NaN, of infinity itself; a NaN stays one. A power
// is e^(b log |a|), whose relative error is |b log a| times as large. The error function is xsimd's, which no
// number overflows, with a relative error of at most 4e-7 (double: 2e-14): beyond 7 it is 1.
#pragma once

#include <bit>
#include <limits>
#include <sluice/expr/elementary.hpp>
#include <sluice/xtensor/activations.hpp>

namespace sluice::xtensor {
namespace detail {

/// 1/3, 1/5, 1/7 ...
template <class S, std::size_t Count>
constexpr std::array<S, Count> inverse_odd_numbers() {
    std::array<S, Count> all{};
    for (std::size_t k = 0; k < Count; ++k)
        all[k] = S(1) / static_cast<S>(2 * k + 3);
    return all;
}
template <class S>
inline constexpr auto logarithm_series = inverse_odd_numbers<S, sizeof(S) == 4 ? 5 : 11>();

struct batch_log {
    template <is_batch B>
    static B value(B const& z) {
        using S = typename B::value_type;
        using with = simd_of<B>;
        using numbers = exponential_numbers<S>;
        using bits = xsimd::batch<typename numbers::bits, typename B::arch_type>;
        using integer = typename numbers::bits;
        constexpr integer bias = (integer(1) << (sizeof(S) * 8 - numbers::mantissa - 2)) - 1;
        constexpr S smallest = std::numeric_limits<S>::min(), infinity = std::numeric_limits<S>::infinity();
        constexpr integer raised = numbers::mantissa + 1; // a denormal number times 2^raised is a normal one
        auto const is_denormal = z < B(smallest);
        B const normal = xsimd::select(is_denormal, z * B(static_cast<S>(integer(1) << raised)), z);
        // Bits that are moved by those of 1/sqrt(2) have the exponent n + bias; behind those of 2^mantissa,
        // it is a whole number.
        constexpr integer to_biased =
            (bias << numbers::mantissa) - std::bit_cast<integer>(static_cast<S>(0x1.6a09e667f3bcdp-1));
        constexpr S whole = static_cast<S>(integer(1) << numbers::mantissa);
        bits const all = bits_as<bits>(normal);
        bits const biased = (all + bits(to_biased)) >> numbers::mantissa;
        B const m = bits_as<B>(all - ((biased - bits(bias)) << numbers::mantissa));
        B const n = bits_as<B>(biased | bits(std::bit_cast<integer>(whole))) -
                    xsimd::select(is_denormal, B(whole + S(bias + raised)), B(whole + S(bias)));
        B const f = m - B(S(1)), s = f / (f + B(S(2))), square = s * s;
        B const series = square * polynomial<logarithm_series<S>>(square, square * square);
        // f - s f = 2 s: what is rounded away of s is small beside f.
        B const rest = with::multiply_add(n, B(log_2_low<S>), s * (series + series - f));
        B const y = with::multiply_add(n, B(log_2_high<S>), f + rest);
        B const at_edges =
            xsimd::select(z == B(S(0)), B(-infinity),
                          xsimd::select(z < B(S(0)), B(std::numeric_limits<S>::quiet_NaN()), y));
        return xsimd::select(z < B(infinity), at_edges, z);
    }
};

struct batch_power {
    template <is_batch B>
    static B value(B const& a, B const& b) {
        using S = typename B::value_type;
        B const size = xsimd::exp(b * batch_log::value(xsimd::abs(a)));
        B const whole = xsimd::trunc(b), half = b * B(S(0.5));
        B const odd = xsimd::select(xsimd::trunc(half) == half, size, -size);
        B const of_negative = xsimd::select(whole == b, odd, B(std::numeric_limits<S>::quiet_NaN()));
        return xsimd::select(b == B(S(0)), B(S(1)), xsimd::select(a < B(S(0)), of_negative, size));
    }
};

struct batch_erf {
    template <is_batch B>
    static B value(B const& z) {
        B const most(typename B::value_type(7));
        return xsimd::erf(xsimd::min(most, xsimd::max(-most, z))); // of a number and a NaN, the second
    }
};

struct batch_gelu {
    template <is_batch B>
    static B value(B const& z) {
        using S = typename B::value_type;
        return B(S(0.5)) * z * (B(S(1)) + batch_erf::value(B(S(0.7071067811865476)) * z));
    }
};

} // namespace detail

template <class Accuracy>
struct batch_function<activation::gelu, Accuracy> {
    using type = detail::in_batches<activation::gelu, detail::batch_gelu>;
};
template <class Accuracy>
struct batch_function<operation::erf, Accuracy> {
    using type = detail::in_batches<operation::erf, detail::batch_erf>;
};
template <class Accuracy>
struct batch_function<operation::log, Accuracy> {
    using type = detail::in_batches<operation::log, detail::batch_log>;
};
template <class Accuracy>
struct batch_function<operation::power, Accuracy> {
    using type = detail::in_batches<operation::power, detail::batch_power>;
};

} // namespace sluice::xtensor
