// SPDX-License-Identifier: BSL-1.0
// Batches of numbers that are kept in fewer digits than they are computed with: half, bfloat16, and scalars
// of a user's, which are converted one by one.
//
//   bfloat16   a shift; rounded to the nearest, of two to the even one, by whole numbers
//   half       the processor's instructions (F16C, AVX-512), or whole numbers, and two sums that are exact
//
// Every bit is that of core/half.hpp, but that the processor makes a signalling NaN a quiet one. No setting
// for denormals (denormals.hpp) changes a bit: the smallest halfs are floats that are none.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <sluice/core/half.hpp>
#include <sluice/xtensor/simd/stored.hpp>

namespace sluice::xtensor {
namespace detail {

/// As many whole numbers as a batch has floats.
template <std::size_t Lanes>
struct words {
    using floats = typename vector_of<float, Lanes>::type;
    using wide = typename vector_of<std::uint32_t, Lanes>::type;
    using truth = typename vector_of<std::int32_t, Lanes>::type;
    using narrow = typename vector_of<std::uint16_t, Lanes>::type;
    using anywhere = typename vector_of<std::uint16_t, Lanes>::anywhere;

    [[gnu::always_inline]] static narrow load(void const* p) { return *static_cast<anywhere const*>(p); }
    [[gnu::always_inline]] static void store(narrow const& z, void* p) { *static_cast<anywhere*>(p) = z; }
    [[gnu::always_inline]] static wide widened(narrow const& z) { return __builtin_convertvector(z, wide); }
    [[gnu::always_inline]] static narrow narrowed(wide const& z) {
        return __builtin_convertvector(z, narrow);
    }
    [[gnu::always_inline]] static wide select(truth const& which, wide const& yes, wide const& no) {
        return ((wide)which & yes) | (~(wide)which & no);
    }
    /// Of numbers whose first bit is zero: they are compared faster as numbers with a sign.
    [[gnu::always_inline]] static truth is_above(wide const& z, std::int32_t bound) {
        return (truth)z > bound;
    }
};

template <std::size_t Lanes>
struct bfloat16_words {
    using with = words<Lanes>;
    using floats = typename with::floats;
    using wide = typename with::wide;
    using narrow = typename with::narrow;

    [[gnu::always_inline]] static floats floats_of(narrow const& z) {
        return (floats)(with::widened(z) << 16);
    }
    [[gnu::always_inline]] static narrow rounded(floats const& z) {
        wide const all = (wide)z, nearest = all + 0x7fffu + (all >> 16 & 1u);
        return with::narrowed(
            with::select(with::is_above(all & 0x7fffffffu, 0x7f800000), all | 0x400000u, nearest) >> 16);
    }
};

template <std::size_t Lanes>
struct half_words {
    using with = words<Lanes>;
    using floats = typename with::floats;
    using wide = typename with::wide;
    using narrow = typename with::narrow;

    [[gnu::always_inline]] static floats floats_of(narrow const& z) {
#ifdef __F16C__
        if constexpr (Lanes == 8)
            return __builtin_ia32_vcvtph2ps256((shorts)z);
        else
#endif
#ifdef __AVX512F__
            if constexpr (Lanes == 16)
            return __builtin_ia32_vcvtph2ps512_mask((shorts)z, floats{}, batches::detail::every_16, 4);
        else
#endif
            return floats_by_words(z);
    }
    [[gnu::always_inline]] static narrow rounded(floats const& z) {
#ifdef __F16C__
        if constexpr (Lanes == 8)
            return (narrow)__builtin_ia32_vcvtps2ph256(z, nearest);
        else
#endif
#ifdef __AVX512F__
            if constexpr (Lanes == 16)
            return (narrow)__builtin_ia32_vcvtps2ph512_mask(z, nearest, shorts{}, batches::detail::every_16);
        else
#endif
            return rounded_by_words(z);
    }

    /// As core/half.hpp has it, but for what is less than 2^-14: k 2^-24 is k as a float, times 2^-24.
    [[gnu::always_inline]] static floats floats_by_words(narrow const& z) {
        wide const half = with::widened(z), size = half & 0x7fffu, sign = (half & 0x8000u) << 16;
        wide const tiny = (wide)(__builtin_convertvector((typename with::truth)size, floats) * 0x1p-24f);
        wide const digits = size << 13;
        wide const all = with::select(with::is_above(size, 0x3ff), digits + 0x38000000u, tiny);
        return (floats)(sign | with::select(with::is_above(size, 0x7bff), digits + 0x70000000u, all));
    }
    /// What is less than 2^-14 is rounded by a sum with 0.5, whose last digit is 2^-24.
    [[gnu::always_inline]] static narrow rounded_by_words(floats const& z) {
        wide const all = (wide)z, size = all & 0x7fffffffu, sign = all >> 16 & 0x8000u;
        wide const tiny = (wide)((floats)size + 0.5f) - 0x3f000000u;
        wide const whole = (size + 0xfffu + (size >> 13 & 1u) - 0x38000000u) >> 13;
        wide const number = with::select(with::is_above(size, 0x387fffff), whole, tiny);
        wide const finite = with::select(with::is_above(size, 0x477fefff), wide{} + 0x7c00u, number);
        wide const nan = (size >> 13 & 0x1ffu) | 0x7e00u;
        return with::narrowed(sign | with::select(with::is_above(size, 0x7f800000), nan, finite));
    }

private:
    using shorts = typename vector_of<short, Lanes>::type; ///< as the builtins want them
    static constexpr int nearest = 0;                      ///< of two the even one
};

/// Numbers of 16 bits.
template <class S, class Words>
struct stored_words {
    static_assert(sizeof(S) == 2);
    using batch = typename simd<float>::type;

    using with = typename Words::with;

    [[gnu::always_inline]] static batch load(S const* p) { return Words::floats_of(with::load(p)); }
    [[gnu::always_inline]] static void store(batch const& z, S* p) { with::store(Words::rounded(z.v), p); }
};

} // namespace detail

/// One by one.
template <class S>
    requires(!is_own_arithmetic<S>)
struct stored<S> {
    using number = arithmetic_of<S>;
    using batch = typename simd<number>::type;
    static constexpr std::size_t lanes = simd<number>::lanes;

    static batch load(S const* p) {
        std::array<number, lanes> all;
        convert_n(p, lanes, all.data());
        return simd<number>::load(all.data());
    }
    static void store(batch const& z, S* p) {
        std::array<number, lanes> all;
        simd<number>::store(z, all.data());
        convert_n(all.data(), lanes, p);
    }
};
template <>
struct stored<bfloat16> : detail::stored_words<bfloat16, detail::bfloat16_words<widest<float>>> {};
template <>
struct stored<half> : detail::stored_words<half, detail::half_words<widest<float>>> {};

/// to[0 .. count) = from[0 .. count), widened.
template <class S>
void widen_n(S const* from, std::size_t count, arithmetic_of<S>* to) {
    constexpr std::size_t lanes = simd<arithmetic_of<S>>::lanes;
    std::size_t const whole = count / lanes * lanes;
    for (std::size_t i = 0; i < whole; i += lanes)
        simd<arithmetic_of<S>>::store(stored<S>::load(from + i), to + i);
    convert_n(from + whole, count - whole, to + whole);
}
/// The same, rounded.
template <class S>
void round_n(arithmetic_of<S> const* from, std::size_t count, S* to) {
    constexpr std::size_t lanes = simd<arithmetic_of<S>>::lanes;
    std::size_t const whole = count / lanes * lanes;
    for (std::size_t i = 0; i < whole; i += lanes)
        stored<S>::store(simd<arithmetic_of<S>>::load(from + i), to + i);
    convert_n(from + whole, count - whole, to + whole);
}

} // namespace sluice::xtensor
