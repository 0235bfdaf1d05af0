// SPDX-License-Identifier: BSL-1.0
// Sigmoid and tanh of batches, both of one exponential that is never called:
//
//   n = round(z / log 2),  r = (z - n log 2) / 2,  |r| <= (log 2) / 4
//   e^z = s (u + v) / (u - v),  s = 2^n,  tanh(r) = v / u       u = 1 + r^2 (...), v = r + r^3 (...), by Pade
//
//   sigmoid(z) = (u - v) / ((u - v) + s (u + v))                          of -z
//   tanh(z) = ((s - 1) u + (s + 1) v) / ((s + 1) u + (s - 1) v)           of 2 |z|, with the sign of z
//
// Both sides of a quotient are ready a few operations after r: a step of a small cell takes as long as the
// chain of its operations.
//
//              relative error, at most
//              sigmoid     tanh
//   float      3e-7        3e-7
//   double     6e-16       6e-16
//
// over all numbers. The sigmoid of 17 and more (double: 37) is 1, a sigmoid that would be no normal number is
// 0, the tanh of 9.1 and more (double: 19.1) is 1; tanh is odd, also at zeros. A NaN stays one.
//
// A block computes a function F of its program as `batch_function<F, Accuracy>::type` says, which is F itself
// unless it is specialised: F keeps its definition for plain numbers, for other backends and for the printer.
// `approximate` replaces both by one quotient of polynomials: tanh within 6e-5 of its value, between -1 and
// 1, and sigmoid within 3e-5, between 0 and 1; both rise.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <sluice/expr/activation.hpp>
#include <sluice/simd/batch_elementary.hpp>
#include <sluice/xtensor/simd/batches.hpp>

namespace sluice::xtensor {
namespace detail {

using batches::detail::exponential_numbers, batches::detail::log_2_high, batches::detail::log_2_low,
    batches::detail::polynomial;

/// then(scale, r, r^2, u_1, v_1), where e^(Times z) = scale (u + v) / (u - v), u = 1 + r^2 u_1 and
/// v = r + r^3 v_1, for Times z between smallest_log and its negative. (A struct of batches would be stored.)
/// `Exact`: with what n log 2 was too large by, relative to the power n ulps of log 2, which is nothing to a
/// tanh. Where n log 2 would be rounded before it is subtracted, it is so in two parts, which leave nothing
/// to be put right.
template <int Times, bool Exact, is_batch B, class Then>
[[gnu::always_inline]] inline B exponential_of(B const& z, Then const& then) {
    using S = typename B::value_type;
    using with = simd_of<B>;
    using numbers = exponential_numbers<S>;
    using bits = batch<typename numbers::bits, B::size>;
    constexpr S log2_e = static_cast<S>(Times * 0x1.71547652b82fep+0);
    B const half = Times == 2 ? z : B(S(Times) / 2) * z;
    B const exponent = rounded_first(with::multiply_add(z, B(log2_e), B(numbers::to_exponent)));
    B const n = rounded_first(exponent - B(numbers::to_exponent));
    B const r = with::fuses ? with::multiply_add(n, B(-numbers::log_2 / 2), half)
                            : rounded_first(half - n * B(log_2_high<S> / 2)) - n * B(log_2_low<S> / 2),
            square = r * r;
    B scale = bits_as<B>(bits_as<bits>(exponent) << numbers::mantissa);
    if constexpr (Exact && with::fuses)
        scale = with::multiply_add(n * B(numbers::log_2_excess), scale, scale);
    B const fourth = square * square;
    return then(scale, r, square, polynomial<numbers::u>(square, fourth),
                polynomial<numbers::v>(square, fourth));
}

} // namespace detail

/// How exactly a block computes.
struct accurate {};
struct approximate {};

/// What a block computes where its program says F.
template <class F, class Accuracy>
struct batch_function {
    using type = F;
};

namespace detail {

/// value(batch) is Batches::value, that of anything else F::value.
template <class F, class Batches>
struct in_batches {
    template <class T>
    static T value(T const& z, auto const&... more) {
        return F::value(z, more...);
    }
    template <is_batch B>
    [[gnu::always_inline]] static B value(B const& z, auto const&... more) {
        return Batches::value(z, more...);
    }
};

struct accurate_sigmoid {
    template <is_batch B>
    [[gnu::always_inline]] static B value(B const& z) {
        using numbers = exponential_numbers<typename B::value_type>;
        using with = simd_of<B>;
        B const least(numbers::smallest_log);
        // Of a number and a NaN, min and max give their second operand.
        B const inside = min(B(4 * numbers::all_one), max(least, z));
        return exponential_of<-1, true>(
            inside, [&](B const& scale, B const& r, B const& square, B const& u_1, B const& v_1) {
                B const one(1);
                B const above = with::multiply_add(square, with::multiply_add(v_1, r, u_1), one + r);
                B const below = with::multiply_add(square, with::negated_multiply_add(v_1, r, u_1), one - r);
                return select(z < least, B(0), below) / with::multiply_add(scale, above, below);
            });
    }
};

struct accurate_tanh {
    template <is_batch B>
    [[gnu::always_inline]] static B value(B const& z) {
        using S = typename B::value_type;
        using with = simd_of<B>;
        B const inside = min(B(exponential_numbers<S>::all_one), abs(z));
        B const y = exponential_of<2, false>(
            inside, [&](B const& scale, B const& r, B const& square, B const& u_1, B const& v_1) {
                B const less = scale - B(1), more = scale + B(1);
                return with::multiply_add(square, with::multiply_add(more * v_1, r, less * u_1),
                                          with::multiply_add(more, r, less)) /
                       with::multiply_add(square, with::multiply_add(less * v_1, r, more * u_1),
                                          with::multiply_add(less, r, more));
            });
        return y | (z & B(S(-0.0)));
    }
};

/// z P(z^2) / Q(z^2): minimax in the relative error between -5.1 and 5.1, and as there beyond.
struct approximate_tanh {
    template <is_batch B>
    [[gnu::always_inline]] static B value(B const& z) {
        using S = typename B::value_type;
        B const most(S(5.1)), inside = min(most, max(-most, z)), square = inside * inside;
        return inside * quadratic(0x1.fff866p-1, 0x1.a23c06p-4, 0x1.5a91e8p-11, square) /
               quadratic(1, 0x1.bd888ap-2, 0x1.a0f9cp-7, square);
    }

private:
    template <is_batch B>
    [[gnu::always_inline]] static B quadratic(double c0, double c1, double c2, B const& z) {
        auto const number = [](double c) { return B(static_cast<typename B::value_type>(c)); };
        return simd_of<B>::multiply_add(z, simd_of<B>::multiply_add(z, number(c2), number(c1)), number(c0));
    }
};

/// (1 + tanh(z / 2)) / 2
struct approximate_sigmoid {
    template <is_batch B>
    [[gnu::always_inline]] static B value(B const& z) {
        B const half(typename B::value_type(0.5));
        return simd_of<B>::multiply_add(approximate_tanh::value(z * half), half, half);
    }
};

} // namespace detail

template <>
struct batch_function<activation::sigmoid, accurate> {
    using type = detail::in_batches<activation::sigmoid, detail::accurate_sigmoid>;
};
template <>
struct batch_function<activation::tanh, accurate> {
    using type = detail::in_batches<activation::tanh, detail::accurate_tanh>;
};
template <>
struct batch_function<activation::sigmoid, approximate> {
    using type = detail::in_batches<activation::sigmoid, detail::approximate_sigmoid>;
};
template <>
struct batch_function<activation::tanh, approximate> {
    using type = detail::in_batches<activation::tanh, detail::approximate_tanh>;
};

/// A program whose functions are computed with some accuracy.
template <class Program, class Accuracy>
struct program_with : Program {
    struct operations {
        template <int F>
        using at = typename batch_function<typename Program::operations::template at<F>, Accuracy>::type;
    };
};

} // namespace sluice::xtensor

namespace sluice::batches { // where it is found

template <class S, std::size_t Lanes>
[[gnu::always_inline]] inline batch<S, Lanes> tanh(batch<S, Lanes> const& z) {
    return xtensor::detail::accurate_tanh::value(z);
}

} // namespace sluice::batches
