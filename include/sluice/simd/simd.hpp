// SPDX-License-Identifier: BSL-1.0
// Batches: as many numbers as the machine computes at once.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <sluice/simd/batch.hpp>
#include <utility>

namespace sluice::batches {

/// Bytes of the widest register that the compiler may use.
inline constexpr std::size_t register_bytes =
#if defined __AVX512F__
    64;
#elif defined __AVX__
    32;
#else
    16;
#endif

/// Scalars that a register holds several of.
template <class S>
concept has_batches = std::same_as<S, float> || std::same_as<S, double>;

/// Lanes of the widest batch of the machine. Other scalars have none: a batch of theirs is one of them.
template <class S>
inline constexpr std::size_t widest = 1;
template <has_batches S>
inline constexpr std::size_t widest<S> = register_bytes / sizeof(S);

/// A batch of so many lanes; of one it is the scalar.
template <class S, std::size_t Lanes = widest<S>>
struct simd {
    static_assert(Lanes == 1);
    using type = S;
    static constexpr std::size_t lanes = 1;
    static constexpr std::size_t registers = 16;
    static constexpr bool multiplies_memory = true;
    static S load(S const* p) { return *p; }
    static S load_once(S const* p) { return *p; }
    static void store(S v, S* p) { *p = v; }
    static S multiply_add(S a, S b, S c) { return a * b + c; }
    static void transpose(S const* from, std::size_t, S* to, std::size_t) { *to = *from; }
    static S sums_of_rows(S const* from) { return *from; }
    static S rounded(S v) { return v; }
};
template <class S, std::size_t Lanes>
    requires(Lanes > 1)
struct simd<S, Lanes> {
    using type = batch<S, Lanes>;
    static constexpr std::size_t lanes = Lanes;
    /// How many of them the machine can hold, as far as that is known.
#ifdef __aarch64__
    static constexpr std::size_t registers = 32;
#else
    static constexpr std::size_t registers = register_bytes == 64 ? 32 : 16;
#endif
    /// Whether a product takes an operand out of memory. Otherwise each has a register first.
#ifdef __aarch64__
    static constexpr bool multiplies_memory = false;
#else
    static constexpr bool multiplies_memory = true;
#endif
    static type load(S const* p) {
        return type::load(p);
    }
    static void store(type v, S* p) {
        v.store(p);
    }
    /// Loaded once, and kept in a register: g++ would load it again for each sum.
    static type load_once(S const* p) {
        typename type::vector v = load(p).v;
#if defined(__AVX__) && !defined(__clang__)
        asm("" : "+v"(v));
#endif
        return v;
    }
    /// What this pointer reads from here on, it reads after the sum: no instruction. g++ would read all that
    /// a tile needs first, and keep sums in memory for it.
    [[gnu::always_inline]] static void read_after([[maybe_unused]] S const*& p,
                                                  [[maybe_unused]] type const& sum) {
#if defined(__aarch64__) && !defined(__clang__)
        asm("" : "+r"(p) : "w"(sum.v));
#elif defined(__AVX__) && !defined(__clang__)
        asm("" : "+r"(p) : "v"(sum.v));
#endif
    }
    /// A result as it is stored: g++ would make one instruction of a product and a sum, in one place and not
    /// in another.
    static type rounded(type const& v) {
        typename type::vector r = v.v;
#if defined(__FMA__) && !defined(__clang__)
        asm("" : "+v"(r));
#elif defined(__aarch64__) && !defined(__clang__)
        asm("" : "+w"(r));
#endif
        return r;
    }
    /// to[lanes, lanes] = the transpose of from[lanes, lanes], whose rows lie so far apart: halves of the
    /// rows, one of each by turns, as often as halving goes.
    static void transpose(S const* from, std::size_t row, S* to, std::size_t to_row) {
#ifdef __CUDACC__ // nvcc does not expand packs in calls of builtins
        for (std::size_t i = 0; i < lanes * lanes; ++i)
            to[i / lanes * to_row + i % lanes] = from[i % lanes * row + i / lanes];
#else
        transpose(from, row, to, to_row, std::make_index_sequence<lanes>(),
                  std::make_index_sequence<lanes / 2>());
#endif
    }
    /// Lane i is the sum of row i of from[lanes, lanes]: of two rows, lanes of each by turns, the halves of
    /// that are added, as often as there are two.
    static type sums_of_rows(S const* from) {
#ifdef __CUDACC__
        std::array<S, lanes> sums{};
        for (std::size_t i = 0; i < lanes * lanes; ++i)
            sums[i / lanes] += from[i];
        return load(sums.data());
#else
        return sums_of_rows(from, std::make_index_sequence<lanes>());
#endif
    }
    /// Whether the two of these round once.
#if defined(__FMA__) || defined(__aarch64__)
    static constexpr bool fuses = true;
#else
    static constexpr bool fuses = false;
#endif
    /// a * b + c, rounded once where the machine can.
    static type multiply_add(type const& a, type const& b, type const& c) {
        return fma(a, b, c);
    }
    /// c - a * b
    static type negated_multiply_add(type const& a, type const& b, type const& c) {
        return fma(-a, b, c);
    }

#ifndef __CUDACC__
private:
    template <std::size_t... I, std::size_t... Half>
    static void transpose(S const* from, std::size_t row, S* to, std::size_t to_row,
                          std::index_sequence<I...>, std::index_sequence<Half...>) {
        constexpr std::size_t half = lanes / 2;
        using vector = typename type::vector;
        vector rows[] = {load(from + I * row).v...}, next[lanes];
        for (std::size_t round = 1; round < lanes; round *= 2) {
            ((next[2 * Half] =
                  __builtin_shufflevector(rows[Half], rows[Half + half], (I % 2 * lanes + I / 2)...),
              next[2 * Half + 1] =
                  __builtin_shufflevector(rows[Half], rows[Half + half], (I % 2 * lanes + half + I / 2)...)),
             ...);
            ((rows[I] = next[I]), ...);
        }
        (store(rows[I], to + I * to_row), ...);
    }
    template <std::size_t... I>
    static type sums_of_rows(S const* from, std::index_sequence<I...>) {
        using vector = typename type::vector;
        constexpr std::size_t half = lanes / 2;
        vector rows[] = {load(from + I * lanes).v...};
        for (std::size_t left = half; left > 0; left /= 2)
            for (std::size_t k = 0; k < left; ++k)
                rows[k] = __builtin_shufflevector(rows[k], rows[k + left], (I % 2 * lanes + I / 2)...) +
                          __builtin_shufflevector(rows[k], rows[k + left], (I % 2 * lanes + half + I / 2)...);
        return rows[0];
    }
#endif
};

/// Whether the functions of a rule may be called with batches, as it says itself.
template <class Rule>
concept takes_batches = requires {
    requires Rule::in_batches;
};

/// Of any width.
template <class B>
concept is_batch = has_batches<typename B::value_type>;
template <is_batch B>
using simd_of = simd<typename B::value_type, B::size>;

/// Lanes of the widest batch that so many numbers are a multiple of: of 16 bytes at least, or 1.
template <class S>
constexpr std::size_t lanes_within(std::size_t count) {
    std::size_t lanes = widest<S>;
    while (count % lanes != 0)
        lanes = lanes * sizeof(S) > 16 ? lanes / 2 : 1;
    return lanes;
}

/// Lanes of the widest batch of no more numbers than that: of 16 bytes at least, or 1.
template <class S>
constexpr std::size_t lanes_up_to(std::size_t count) {
    std::size_t lanes = widest<S>;
    while (lanes > std::max<std::size_t>(count, 1))
        lanes = lanes * sizeof(S) > 16 ? lanes / 2 : 1;
    return lanes;
}

/// f(z...) on batches of S; one that was written for scalars only is called lane by lane.
template <class S, std::size_t Lanes = widest<S>, class F, class... T>
typename simd<S, Lanes>::type lane_by_lane(F f, T const&... z) {
    using batch = typename simd<S, Lanes>::type;
    if constexpr (requires {
                      { f(z...) } -> std::convertible_to<batch>;
                  })
        return f(z...);
    else {
        constexpr std::size_t count = sizeof...(T);
        std::array<std::array<S, Lanes>, count> operands;
        std::size_t k = 0;
        (simd<S, Lanes>::store(z, operands[k++].data()), ...);
        std::array<S, Lanes> result;
        for (std::size_t lane = 0; lane < Lanes; ++lane)
            result[lane] = [&]<std::size_t... I>(std::index_sequence<I...>) {
                return static_cast<S>(f(operands[I][lane]...));
            }
        (std::make_index_sequence<count>{});
        return simd<S, Lanes>::load(result.data());
    }
}

} // namespace sluice::batches
