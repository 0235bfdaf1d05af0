// SPDX-License-Identifier: BSL-1.0
// A batch: as many numbers as a register of the machine holds, and what is computed with all of them at once,
// by the vector extensions of g++ and clang. No header of intrinsics is read for it: those take a compiler
// longer than all of this library's kernels. Where the compilers' own operators do not give one instruction,
// their builtins do: square roots, fused products and sums, and, with g++ on x86, the smaller and the larger.
//
//   a + b, a < b, a & b     lane by lane; a comparison gives a mask
//   select(m, a, b)         m ? a : b, lane by lane; both are computed
//   min(a, b), max(a, b)    a < b ? a : b, and a > b ? a : b: of a number and a NaN the second operand
//   round, floor, ceil, trunc, nearbyint, rint     as those of <cmath>, by 1 / epsilon: |z| + 1 / epsilon is
//                           whole, and from 1 / epsilon on all numbers are
//
// Its functions are found by argument-dependent lookup, so that a function template of plain numbers is one
// of batches too. exp, log and their like are in batch_elementary.hpp.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sluice/simd/rounded_first.hpp>
#include <type_traits>

namespace sluice::batches {

namespace detail {

/// Numbers side by side, in a register and where they lie in memory: at any address of a number.
template <class S, std::size_t Lanes>
struct vector_of {
    typedef S type __attribute__((vector_size(Lanes * sizeof(S))));
    typedef S anywhere __attribute__((vector_size(Lanes * sizeof(S)), aligned(alignof(S)), may_alias));
};

/// Whole numbers as wide as an S.
template <class S>
using whole_of = std::conditional_t<sizeof(S) == 4, std::int32_t, std::int64_t>;
template <class S, std::size_t Lanes>
using whole_vector = typename vector_of<whole_of<S>, Lanes>::type;

/// All lanes, as the builtins want them.
#ifdef __clang__
inline constexpr unsigned short every_16 = 0xffff;
#else
inline constexpr short every_16 = -1;
#endif
inline constexpr unsigned char every_8 = 0xff;

/// Which builtin is for an S.
template <class S, std::size_t Lanes>
inline constexpr std::size_t floats = std::same_as<S, float> ? Lanes : 0;
template <class S, std::size_t Lanes>
inline constexpr std::size_t doubles = std::same_as<S, double> ? Lanes : 0;

/// a * b + c, rounded once where the machine can.
template <class S, std::size_t Lanes, class V>
[[gnu::always_inline]] inline V multiply_add(V const& a, V const& b, V const& c) {
#if (defined __FMA__ || defined __aarch64__) && __has_builtin(__builtin_elementwise_fma) // of later compilers
    return __builtin_elementwise_fma(a, b, c);
#else
#ifdef __AVX512F__
    if constexpr (floats<S, Lanes> == 16)
        return __builtin_ia32_vfmaddps512_mask(a, b, c, every_16, 4);
    else if constexpr (doubles<S, Lanes> == 8)
        return __builtin_ia32_vfmaddpd512_mask(a, b, c, every_8, 4);
    else
#endif
#ifdef __FMA__
        if constexpr (floats<S, Lanes> == 8)
        return __builtin_ia32_vfmaddps256(a, b, c);
    else if constexpr (floats<S, Lanes> == 4)
        return __builtin_ia32_vfmaddps(a, b, c);
    else if constexpr (doubles<S, Lanes> == 4)
        return __builtin_ia32_vfmaddpd256(a, b, c);
    else if constexpr (doubles<S, Lanes> == 2)
        return __builtin_ia32_vfmaddpd(a, b, c);
    else
#elif defined __aarch64__
#if !defined __clang__ && !defined __CUDACC__
    if constexpr (floats<S, Lanes> == 4)
        return __builtin_aarch64_fmav4sf(a, b, c);
    else if constexpr (doubles<S, Lanes> == 2)
        return __builtin_aarch64_fmav2df(a, b, c);
    else
#endif
        if constexpr (std::floating_point<S>) {
        V sum = c;
        for (std::size_t i = 0; i < Lanes; ++i)
            sum[i] = std::fma(a[i], b[i], c[i]);
        return sum;
    } else
#endif
        return a * b + c;
#endif
}

template <class S, std::size_t Lanes, class V>
[[gnu::always_inline]] inline V square_root(V const& z) {
#if __has_builtin(__builtin_elementwise_sqrt)
    return __builtin_elementwise_sqrt(z);
#else
#if defined __AVX512F__ && defined __clang__
    if constexpr (floats<S, Lanes> == 16)
        return __builtin_ia32_sqrtps512(z, 4);
    else if constexpr (doubles<S, Lanes> == 8)
        return __builtin_ia32_sqrtpd512(z, 4);
    else
#elif defined __AVX512F__
    if constexpr (floats<S, Lanes> == 16)
        return __builtin_ia32_sqrtps512_mask(z, z, every_16, 4);
    else if constexpr (doubles<S, Lanes> == 8)
        return __builtin_ia32_sqrtpd512_mask(z, z, static_cast<signed char>(every_8), 4);
    else
#endif
#ifdef __AVX__
        if constexpr (floats<S, Lanes> == 8)
        return __builtin_ia32_sqrtps256(z);
    else if constexpr (doubles<S, Lanes> == 4)
        return __builtin_ia32_sqrtpd256(z);
    else
#endif
#ifdef __SSE2__
        if constexpr (floats<S, Lanes> == 4)
        return __builtin_ia32_sqrtps(z);
    else if constexpr (doubles<S, Lanes> == 2)
        return __builtin_ia32_sqrtpd(z);
    else
#elif defined __aarch64__ && !defined __clang__ && !defined __CUDACC__
        if constexpr (floats<S, Lanes> == 4)
        return __builtin_aarch64_sqrtv4sf(z);
    else if constexpr (doubles<S, Lanes> == 2)
        return __builtin_aarch64_sqrtv2df(z);
    else
#endif
    {
        V root = z;
        for (std::size_t i = 0; i < Lanes; ++i)
            root[i] = std::sqrt(z[i]);
        return root;
    }
#endif
}

template <class S, std::size_t Lanes, class V>
[[gnu::always_inline]] inline V smaller(V const& a, V const& b) {
#if defined __SSE2__ && !defined __clang__
    if constexpr (floats<S, Lanes> == 16)
        return __builtin_ia32_minps512_mask(a, b, a, every_16, 4);
    else if constexpr (doubles<S, Lanes> == 8)
        return __builtin_ia32_minpd512_mask(a, b, a, every_8, 4);
    else if constexpr (floats<S, Lanes> == 8)
        return __builtin_ia32_minps256(a, b);
    else if constexpr (doubles<S, Lanes> == 4)
        return __builtin_ia32_minpd256(a, b);
    else if constexpr (floats<S, Lanes> == 4)
        return __builtin_ia32_minps(a, b);
    else if constexpr (doubles<S, Lanes> == 2)
        return __builtin_ia32_minpd(a, b);
    else
#endif
        return a < b ? a : b;
}

template <class S, std::size_t Lanes, class V>
[[gnu::always_inline]] inline V larger(V const& a, V const& b) {
#if defined __SSE2__ && !defined __clang__
    if constexpr (floats<S, Lanes> == 16)
        return __builtin_ia32_maxps512_mask(a, b, a, every_16, 4);
    else if constexpr (doubles<S, Lanes> == 8)
        return __builtin_ia32_maxpd512_mask(a, b, a, every_8, 4);
    else if constexpr (floats<S, Lanes> == 8)
        return __builtin_ia32_maxps256(a, b);
    else if constexpr (doubles<S, Lanes> == 4)
        return __builtin_ia32_maxpd256(a, b);
    else if constexpr (floats<S, Lanes> == 4)
        return __builtin_ia32_maxps(a, b);
    else if constexpr (doubles<S, Lanes> == 2)
        return __builtin_ia32_maxpd(a, b);
    else
#endif
        return a > b ? a : b;
}

/// Whether a lane of a comparison is true.
template <class S, std::size_t Lanes, class V>
[[gnu::always_inline]] inline bool is_any(V const& truth) {
    using floats_of [[maybe_unused]] = typename vector_of<float, Lanes>::type;
    using doubles_of [[maybe_unused]] = typename vector_of<double, Lanes>::type;
#ifdef __AVX512DQ__
    if constexpr (sizeof(V) == 64 && sizeof(S) == 4)
        return __builtin_ia32_cvtd2mask512(truth) != 0;
    else if constexpr (sizeof(V) == 64)
        return __builtin_ia32_cvtq2mask512(typename vector_of<long long, Lanes>::type(truth)) != 0;
    else
#endif
#ifdef __AVX__
        if constexpr (sizeof(V) == 32 && sizeof(S) == 4)
        return __builtin_ia32_movmskps256((floats_of)truth) != 0;
    else if constexpr (sizeof(V) == 32)
        return __builtin_ia32_movmskpd256((doubles_of)truth) != 0;
    else
#endif
#ifdef __SSE2__
        if constexpr (sizeof(V) == 16 && sizeof(S) == 4)
        return __builtin_ia32_movmskps((floats_of)truth) != 0;
    else if constexpr (sizeof(V) == 16)
        return __builtin_ia32_movmskpd((doubles_of)truth) != 0;
    else
#endif
    {
        constexpr std::size_t words = sizeof(V) / sizeof(std::int64_t);
        auto const each = (whole_vector<double, words>)truth;
        std::int64_t all = 0;
        for (std::size_t i = 0; i < words; ++i)
            all |= each[i];
        return all != 0;
    }
}

} // namespace detail

/// What a comparison of batches is: of each lane, whether it is true.
template <class S, std::size_t Lanes>
struct mask {
    using vector = detail::whole_vector<S, Lanes>; ///< -1 where it is true, else 0

    vector v;

    friend mask operator&(mask const& a, mask const& b) { return {a.v & b.v}; }
    friend mask operator|(mask const& a, mask const& b) { return {a.v | b.v}; }
    friend mask operator^(mask const& a, mask const& b) { return {a.v ^ b.v}; }
    friend mask operator!(mask const& a) { return {~a.v}; }
    friend mask operator~(mask const& a) { return {~a.v}; }
    friend mask operator&&(mask const& a, mask const& b) { return {a.v & b.v}; }
    friend mask operator||(mask const& a, mask const& b) { return {a.v | b.v}; }
    friend bool any(mask const& a) { return detail::is_any<S, Lanes>(a.v); }
    friend bool all(mask const& a) { return !detail::is_any<S, Lanes>(~a.v); }
};

template <class S, std::size_t Lanes>
struct batch {
    static_assert(Lanes > 1);
    using value_type = S;
    using vector = typename detail::vector_of<S, Lanes>::type;
    using truth = mask<S, Lanes>;
    static constexpr std::size_t size = Lanes;

    vector v;

    batch() = default;
    batch(vector const& all) : v(all) {}
    batch(S each) : v(each - vector{}) {}

    /// A copy first: clang would take a reference to it, and read that as if it lay where vectors lie.
    static batch load(S const* p) {
        vector const all = *reinterpret_cast<typename detail::vector_of<S, Lanes>::anywhere const*>(p);
        return all;
    }
    void store(S* p) const { *reinterpret_cast<typename detail::vector_of<S, Lanes>::anywhere*>(p) = v; }

    friend batch operator+(batch const& a, batch const& b) { return a.v + b.v; }
    friend batch operator-(batch const& a, batch const& b) { return a.v - b.v; }
    friend batch operator*(batch const& a, batch const& b) { return a.v * b.v; }
    friend batch operator/(batch const& a, batch const& b) { return a.v / b.v; }
    friend batch operator+(batch const& a) { return a; }
    friend batch operator-(batch const& a) { return -a.v; }
    friend batch operator&(batch const& a, batch const& b) { return of_bits(bits(a) & bits(b)); }
    friend batch operator|(batch const& a, batch const& b) { return of_bits(bits(a) | bits(b)); }
    friend batch operator^(batch const& a, batch const& b) { return of_bits(bits(a) ^ bits(b)); }
    friend batch operator~(batch const& a) { return of_bits(~bits(a)); }
    /// Of whole numbers.
    friend batch operator<<(batch const& a, int by) { return a.v << by; }
    friend batch operator>>(batch const& a, int by) { return a.v >> by; }
    batch& operator+=(batch const& b) { return *this = *this + b; }
    batch& operator-=(batch const& b) { return *this = *this - b; }
    batch& operator*=(batch const& b) { return *this = *this * b; }
    batch& operator/=(batch const& b) { return *this = *this / b; }

    friend truth operator==(batch const& a, batch const& b) { return {bits_of(a.v == b.v)}; }
    friend truth operator!=(batch const& a, batch const& b) { return {bits_of(a.v != b.v)}; }
    friend truth operator<(batch const& a, batch const& b) { return {bits_of(a.v < b.v)}; }
    friend truth operator<=(batch const& a, batch const& b) { return {bits_of(a.v <= b.v)}; }
    friend truth operator>(batch const& a, batch const& b) { return {bits_of(a.v > b.v)}; }
    friend truth operator>=(batch const& a, batch const& b) { return {bits_of(a.v >= b.v)}; }
    friend truth isnan(batch const& z) { return z != z; }
    friend truth isinf(batch const& z) { return abs(z) == batch(std::numeric_limits<S>::infinity()); }
    friend truth isfinite(batch const& z) { return abs(z) < batch(std::numeric_limits<S>::infinity()); }

    friend batch select(truth const& m, batch const& a, batch const& b) { return m.v ? a.v : b.v; }
    friend batch min(batch const& a, batch const& b) { return detail::smaller<S, Lanes>(a.v, b.v); }
    friend batch max(batch const& a, batch const& b) { return detail::larger<S, Lanes>(a.v, b.v); }
    friend batch fmin(batch const& a, batch const& b) { return min(a, b); }
    friend batch fmax(batch const& a, batch const& b) { return max(a, b); }
    friend batch abs(batch const& z) { return z & ~batch(S(-0.0)); }
    friend batch fabs(batch const& z) { return abs(z); }
    friend batch copysign(batch const& z, batch const& sign) { return abs(z) | (sign & batch(S(-0.0))); }
    friend batch fdim(batch const& a, batch const& b) { return select(a <= b, batch(S(0)), a - b); }
    friend batch sqrt(batch const& z) { return detail::square_root<S, Lanes>(z.v); }
    friend batch rounded_first(batch const& sum) { return detail::rounded_first(sum.v); }
    friend batch fma(batch const& a, batch const& b, batch const& c) {
        return detail::multiply_add<S, Lanes>(a.v, b.v, c.v);
    }

    friend batch nearbyint(batch const& z) { return as_whole(z, nearest(abs(z))); }
    friend batch rint(batch const& z) { return nearbyint(z); }
    friend batch trunc(batch const& z) { return as_whole(z, below(abs(z))); }
    friend batch round(batch const& z) {
        batch const magnitude = abs(z), least = below(magnitude);
        return as_whole(z, select(magnitude - least < batch(S(0.5)), least, least + batch(S(1))));
    }
    friend batch floor(batch const& z) {
        batch const whole = trunc(z);
        return select(whole > z, whole - batch(S(1)), whole);
    }
    friend batch ceil(batch const& z) { return -floor(-z); }

private:
    using whole = detail::whole_vector<S, Lanes>;

    static whole bits(batch const& z) { return (whole)z.v; }
    static batch of_bits(whole const& z) { return (vector)z; }
    static whole bits_of(auto const& truth) { return (whole)truth; }

    /// The whole number nearest to |z|, the even one of two, and the largest that is not above |z|.
    static batch nearest(batch const& magnitude) {
        batch const all_whole(S(1) / std::numeric_limits<S>::epsilon());
        return rounded_first(rounded_first(magnitude + all_whole) - all_whole);
    }
    static batch below(batch const& magnitude) {
        batch const whole = nearest(magnitude);
        return select(whole > magnitude, whole - batch(S(1)), whole);
    }
    /// What |z| became, with the sign of z; z itself where that is whole already, or no number.
    static batch as_whole(batch const& z, batch const& magnitude) {
        return select(abs(z) < batch(S(1) / std::numeric_limits<S>::epsilon()), copysign(magnitude, z), z);
    }
};

/// The bits of a batch as one of another type.
template <class To, class From>
[[gnu::always_inline]] inline To bits_as(From const& from) {
    return (typename To::vector)from.v;
}

} // namespace sluice::batches
