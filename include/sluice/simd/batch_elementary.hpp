// SPDX-License-Identifier: BSL-1.0
// Elementary functions of batches. The exponential:
//
//   n = round(z / log 2),  r = z - n log 2,  |r| <= (log 2) / 2
//   e^z = 2^n (1 + r + r^2 (1/2! + r/3! + r^2/4! + ...))
//
//   relative error, at most      float 1e-7, double 2e-16
//
// where that is a normal number, else it is 0 or infinity. e^z - 1 is to 2e-7, double 4e-16, of itself, also
// where z is small. The logarithm:
//
//   z = 2^n m,  1/sqrt(2) <= m < sqrt(2),  f = m - 1,  s = f / (2 + f),  |s| < 0.172
//   log z = n log 2 + 2 s (1 + s^2/3 + s^4/5 + ...)
//
//   relative error, at most      float 2e-7, double 4e-16
//
// The logarithm of 0 is -infinity, of a negative number a NaN, of infinity itself; a NaN stays one. A power
// is e^(b log |a|), whose relative error is |b log a| times as large. log(1 + z) is the logarithm of the
// rounded sum, to whose f is added what was rounded away.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sluice/simd/simd.hpp>

namespace sluice::batches {
namespace detail {

/// What the functions need to know of a scalar.
template <class S>
struct exponential_numbers;
template <>
struct exponential_numbers<float> {
    using bits = std::uint32_t;
    static constexpr int mantissa = 23;
    static constexpr bits bias = 127;
    /// Added to n it leaves n + 127, the exponent of 2^n, in the lowest bits.
    static constexpr float to_exponent = 0x1.8p23f + 127;
    static constexpr float log_2 = 0x1.62e43p-1f, log_2_excess = 0x1.05c61p-29f; ///< less than log_2 by that
    static constexpr std::array u{2 / 5.f};
    static constexpr std::array v{1 / 15.f};
    static constexpr float smallest_log = -87.33654f; ///< of a normal number
    static constexpr float all_one = 10;              ///< tanh is 1 there, and sigmoid at 4 times that
    static constexpr float normal_from = -0x1.5d589ep+6f, infinite_from = 0x1.62e43p+6f; ///< e^z
};
template <>
struct exponential_numbers<double> {
    using bits = std::uint64_t;
    static constexpr int mantissa = 52;
    static constexpr bits bias = 1023;
    static constexpr double to_exponent = 0x1.8p52 + 1023;
    static constexpr double log_2 = 0x1.62e42fefa39efp-1, log_2_excess = -0x1.abc9e3b39803fp-56;
    static constexpr std::array u{5 / 11., 2 / 99., 1 / 10395.};
    static constexpr std::array v{4 / 33., 1 / 495.};
    static constexpr double smallest_log = -708.3964;
    static constexpr double all_one = 20;
    static constexpr double normal_from = -0x1.6232bdd7abcd2p+9, infinite_from = 0x1.62e42fefa39fp+9;
};

/// log 2 in two parts; an exponent times the first is exact.
template <class S>
inline constexpr S log_2_high = sizeof(S) == 4 ? S(0x1.62e4p-1) : S(0x1.62e42feep-1);
template <class S>
inline constexpr S log_2_low = sizeof(S) == 4 ? S(0x1.7f7d1cp-20) : S(0x1.a39ef35793c76p-33);

/// c[K] + c[K + 1] z + c[K + 2] z^2 ..., as (c[K] + c[K + 1] z) + z^2 (...): half as deep as one power at a
/// time.
template <auto const& C, std::size_t K = 0, is_batch B>
[[gnu::always_inline]] inline B polynomial([[maybe_unused]] B const& z, [[maybe_unused]] B const& square) {
    if constexpr (K + 1 == C.size())
        return B(C[K]);
    else {
        B const pair = simd_of<B>::multiply_add(z, B(C[K + 1]), B(C[K]));
        if constexpr (K + 2 == C.size())
            return pair;
        else
            return simd_of<B>::multiply_add(square, polynomial<C, K + 2>(z, square), pair);
    }
}

/// 1/2!, 1/3!, 1/4! ...
template <class S, std::size_t Count>
constexpr std::array<S, Count> inverse_factorials() {
    std::array<S, Count> all{};
    double factorial = 1;
    for (std::size_t k = 0; k < Count; ++k)
        all[k] = static_cast<S>(1 / (factorial *= static_cast<double>(k + 2)));
    return all;
}
template <class S>
inline constexpr auto exponential_series = inverse_factorials<S, sizeof(S) == 4 ? 6 : 12>();

/// e^z = 2^n (1 + more); the lowest bits of `exponent` are n.
template <is_batch B>
struct power_of_e {
    using S = typename B::value_type;
    using numbers = exponential_numbers<S>;
    using bits = batch<typename numbers::bits, B::size>;

    bits exponent;
    B more;

    [[gnu::always_inline]] explicit power_of_e(B const& z) {
        using with = simd_of<B>;
        constexpr S to_whole = S(3) / std::numeric_limits<S>::epsilon() / 2; // added to n it leaves n there
        B const sum =
            rounded_first(with::multiply_add(z, B(static_cast<S>(0x1.71547652b82fep+0)), B(to_whole)));
        B const n = rounded_first(sum - B(to_whole));
        B const r = with::multiply_add(n, B(-log_2_low<S>),
                                       rounded_first(with::multiply_add(n, B(-log_2_high<S>), z)));
        B const square = r * r;
        exponent = bits_as<bits>(sum);
        more = with::multiply_add(square, polynomial<exponential_series<S>>(r, square), r);
    }
};

struct batch_exp {
    template <is_batch B>
    [[gnu::always_inline]] static B value(B const& z) {
        using S = typename B::value_type;
        using numbers = exponential_numbers<S>;
        power_of_e<B> const e(z);
        // The bits of a number and n in the place of its exponent add up, also where 2^n is too large.
        B const y = bits_as<B>(bits_as<typename power_of_e<B>::bits>(B(S(1)) + e.more) +
                               (e.exponent << numbers::mantissa));
        B const finite = select(z < B(numbers::normal_from), B(S(0)), y);
        return select(z < B(numbers::infinite_from), finite, z + B(std::numeric_limits<S>::infinity()));
    }
    /// e^z - 1 = 2 (2^(n - 1) more + 2^(n - 1) - 1/2)
    template <is_batch B>
    [[gnu::always_inline]] static B value_less_1(B const& z) {
        using S = typename B::value_type;
        using numbers = exponential_numbers<S>;
        using bits = typename power_of_e<B>::bits;
        // There it is infinite, and -1. Of a number and a NaN, min and max give their second operand.
        power_of_e<B> const e(min(B(numbers::infinite_from + 1), max(B(-4 * numbers::all_one), z)));
        B const half = bits_as<B>((e.exponent + bits(numbers::bias - 1)) << numbers::mantissa);
        B const y = simd_of<B>::multiply_add(half, e.more, half - B(S(0.5)));
        return y + y;
    }
};

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
        constexpr auto raised = static_cast<S>(integer<B>(1) << raised_by<B>);
        auto const is_denormal = z < B(std::numeric_limits<S>::min());
        return of(z, select(is_denormal, z * B(raised), z),
                  select(is_denormal, B(whole<B> + S(numbers<B>::bias + raised_by<B>)),
                         B(whole<B> + S(numbers<B>::bias))));
    }
    /// log(1 + z)
    template <is_batch B>
    static B value_of_next(B const& z) {
        using S = typename B::value_type;
        B const one(S(1)), sum = rounded_first(one + z);
        return of(sum, sum, B(whole<B> + S(numbers<B>::bias)), (z - rounded_first(sum - one)) * B(S(0.5)));
    }

private:
    template <class B>
    using numbers = exponential_numbers<typename B::value_type>;
    template <class B>
    using integer = typename numbers<B>::bits;
    /// A denormal number times 2^this is a normal one.
    template <class B>
    static constexpr integer<B> raised_by = numbers<B>::mantissa + 1;
    template <class B>
    static constexpr auto whole = static_cast<typename B::value_type>(integer<B>(1) << numbers<B>::mantissa);

    /// The logarithm of z, or of z + 2 half_more, where z is so much as this has in its lowest bits. `normal`
    /// is z, or 2^(zero - whole - bias) z.
    template <is_batch B, class... Half>
    [[gnu::always_inline]] static B of(B const& z, B const& normal, B const& zero, Half const&... half_more) {
        using S = typename B::value_type;
        using with = simd_of<B>;
        using bits = batch<integer<B>, B::size>;
        constexpr S infinity = std::numeric_limits<S>::infinity();
        constexpr auto mantissa = numbers<B>::mantissa;
        // Bits that are moved by those of 1/sqrt(2) have the exponent n + bias; after those of 2^mantissa,
        // it is a whole number.
        constexpr integer<B> to_biased =
            (numbers<B>::bias << mantissa) - std::bit_cast<integer<B>>(static_cast<S>(0x1.6a09e667f3bcdp-1));
        bits const all = bits_as<bits>(normal);
        bits const biased = (all + bits(to_biased)) >> mantissa;
        B const m = bits_as<B>(all - ((biased - bits(numbers<B>::bias)) << mantissa));
        B const n = rounded_first(bits_as<B>(biased | bits(std::bit_cast<integer<B>>(whole<B>))) - zero);
        B f = rounded_first(m - B(S(1)));
        if constexpr (sizeof...(Half) > 0) // times 2^(1 - n)
            f = with::multiply_add(half_more...,
                                   bits_as<B>((bits(2 * numbers<B>::bias + 1) - biased) << mantissa), f);
        B const s = f / (f + B(S(2))), square = s * s;
        B const series = square * polynomial<logarithm_series<S>>(square, square * square);
        // f - s f = 2 s: what is rounded away of s is small beside f.
        B const rest = with::multiply_add(n, B(log_2_low<S>), s * (series + series - f));
        B const y = with::multiply_add(n, B(log_2_high<S>), f + rest);
        B const at_edges = select(z == B(S(0)), B(-infinity),
                                  select(z < B(S(0)), B(std::numeric_limits<S>::quiet_NaN()), y));
        return select(z < B(infinity), at_edges, z);
    }
};

struct batch_power {
    template <is_batch B>
    static B value(B const& a, B const& b) {
        using S = typename B::value_type;
        B const size = batch_exp::value(b * batch_log::value(abs(a)));
        B const whole = trunc(b), half = b * B(S(0.5));
        B const odd = select(trunc(half) == half, size, -size);
        B const of_negative = select(whole == b, odd, B(std::numeric_limits<S>::quiet_NaN()));
        return select(b == B(S(0)), B(S(1)), select(a < B(S(0)), of_negative, size));
    }
};

} // namespace detail

/// e^z
template <class S, std::size_t Lanes>
[[gnu::always_inline]] inline batch<S, Lanes> exp(batch<S, Lanes> const& z) {
    return detail::batch_exp::value(z);
}
/// e^z - 1
template <class S, std::size_t Lanes>
[[gnu::always_inline]] inline batch<S, Lanes> expm1(batch<S, Lanes> const& z) {
    return detail::batch_exp::value_less_1(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> log(batch<S, Lanes> const& z) {
    return detail::batch_log::value(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> log1p(batch<S, Lanes> const& z) {
    return detail::batch_log::value_of_next(z);
}
template <class S, std::size_t Lanes>
batch<S, Lanes> pow(batch<S, Lanes> const& a, batch<S, Lanes> const& b) {
    return detail::batch_power::value(a, b);
}

} // namespace sluice::batches
