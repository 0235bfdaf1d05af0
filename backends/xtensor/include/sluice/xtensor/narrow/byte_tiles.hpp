// SPDX-License-Identifier: BSL-1.0
// Tiles of int8 weights (narrow_tiles.hpp) on machines that multiply bytes: AVX-512 with VNNI, which sums the
// products of four pairs of bytes in one instruction, and AVX2 and AVX-512 without, where it takes three. A
// is written in digits first (digits.hpp). Sums of their products are whole numbers, and exact; at the end
// they become a float:
//
//   C[r, v] = unit[r] scale[v] sum over p of base^p (sum over k of d_p[r, k] w[k, v])
//
// The machine wants one of its bytes without a sign. A weight is therefore kept as w + 128, and 128 times the
// sum of the row's digits is taken off. Rows that have no digits, with a NaN among them, take narrow_tiles.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sluice/xtensor/narrow/digits.hpp>
#include <sluice/xtensor/narrow/narrow_tiles.hpp>
#include <utility>

namespace sluice::xtensor {

/// Rows of A in digits.
template <class Format>
struct digit_rows {
    digits_of_row<Format> const* data;

    digit_rows from(std::size_t r, std::size_t) const { return {data + r}; }
};

template <class Format = machine_digits, std::size_t Lanes = widest<float>>
struct byte_tiles {
    static constexpr std::size_t lanes = Lanes;
    static constexpr std::size_t bits = 8;
    static constexpr std::size_t most_k = std::numeric_limits<std::size_t>::max() / 2;
    static constexpr std::size_t rows_after = 0; ///< of A that are read after the last
    struct session {};                           ///< what a thread holds as long as it runs tiles
    static constexpr std::size_t digits = digits_of_row<Format>::count;
    /// Rows of W that whole numbers of 32 bits can be summed over: 255 * 128 each.
    static constexpr std::size_t most_rows_of_w = 65536;

    using rows = digit_rows<Format>;
    using source = narrow_source<int8>;
    using function = void (*)(std::size_t k, rows const& a, narrow_vectors const& w, float* c,
                              std::size_t ldc, bool add);
    static source source_of(narrow_matrix<int8> const& w, std::size_t group, std::size_t row) {
        return narrow_tiles<int8>::source_of(w, group, row);
    }

    static constexpr std::size_t most_vectors = simd<float>::registers == 32 ? 8 : 4;
    static constexpr std::size_t most_of_row = most_vectors;
    static constexpr std::size_t most_rows = most_vectors;
    static constexpr std::size_t most_sums = most_vectors; ///< times digits

    static constexpr std::size_t width(std::size_t rows, std::size_t left) {
        std::size_t const widest = std::bit_floor(most_sums / rows);
        return left >= widest ? widest : rows == 1 ? left : std::bit_floor(left);
    }
    static function of(std::size_t rows, std::size_t vectors) {
        return tile_table<byte_tiles>::all[rows - 1][vectors - 1];
    }
    static function of_row(std::size_t vectors) { return of(1, vectors); }

protected:
    friend struct tile_table<byte_tiles>;
    using batch = simd<float>::type;
    using floats = typename batch::vector;
    using whole = detail::whole_vector<float, lanes>;

    [[gnu::always_inline]] static whole load(std::uint32_t const* p) {
        return *reinterpret_cast<typename detail::vector_of<std::int32_t, lanes>::anywhere const*>(p);
    }
    /// sum + the products of the four bytes of a lane, of w without a sign, of x with one.
    [[gnu::always_inline]] static whole add_products(whole const& sum, whole const& w, whole const& x) {
#if defined __AVX512VNNI__ && defined __AVX512F__ && defined __clang__
        return __builtin_ia32_vpdpbusd512(sum, w, x);
#elif defined __AVX512VNNI__ && defined __AVX512F__
        return __builtin_ia32_vpdpbusd_v16si(sum, w, x);
#elif defined __AVX2__
        using bytes = typename detail::vector_of<char, 4 * lanes>::type;
        using shorts = typename detail::vector_of<short, 2 * lanes>::type;
        auto const ones = shorts{} + short(1);
#if defined __AVX512BW__ && defined __clang__
        auto const pairs = (shorts)__builtin_ia32_pmaddubsw512((bytes)w, (bytes)x);
        return sum + (whole)__builtin_ia32_pmaddwd512(pairs, ones);
#elif defined __AVX512BW__
        auto const pairs = (shorts)__builtin_ia32_pmaddubsw512_mask((bytes)w, (bytes)x, shorts{}, ~0u);
        return sum + (whole)__builtin_ia32_pmaddwd512_mask(pairs, ones, whole{}, 0xffff);
#else
        auto const pairs = (shorts)__builtin_ia32_pmaddubsw256((bytes)w, (bytes)x);
        return sum + (whole)__builtin_ia32_pmaddwd256(pairs, ones);
#endif
#else
        return sum + w * x; // never run
#endif
    }
    /// The digits of one row with words of all vectors.
    template <std::size_t... V, std::size_t... P>
    [[gnu::always_inline]] static void add_row(digits_of_row<Format> const& row, std::size_t at,
                                               whole const* columns, whole* sums, std::index_sequence<V...>,
                                               std::index_sequence<P...>) {
        (add_digit<P>(row, at, columns, sums, std::index_sequence<V...>()), ...);
    }
    template <std::size_t P, std::size_t... V>
    [[gnu::always_inline]] static void add_digit(digits_of_row<Format> const& row, std::size_t at,
                                                 whole const* columns, whole* sums,
                                                 std::index_sequence<V...>) {
        whole const x = static_cast<std::int32_t>(row.words[P * row.next + at]) - whole{};
        ((sums[P * sizeof...(V) + V] = add_products(sums[P * sizeof...(V) + V], columns[V], x)), ...);
    }
    /// What the sums of a row's digits are together, before the scale.
    template <std::size_t Wide, std::size_t... P>
    [[gnu::always_inline]] static batch value(digits_of_row<Format> const& row, whole const* sums,
                                              std::index_sequence<P...>) {
        batch sum(0.f);
        float base = 1;
        ((sum =
              sum + batch(__builtin_convertvector(sums[P * Wide] - 128 * row.sums[P], floats)) * batch(base),
          base *= Format::base),
         ...);
        return sum * batch(row.unit);
    }
    [[gnu::always_inline]] static void store(batch const& sum, float* to, bool add) {
        simd<float>::store(add ? simd<float>::load(to) + sum : sum, to);
    }
    template <std::size_t... R, std::size_t... V, class Digits, std::size_t... I>
    [[gnu::always_inline]] static void run(std::size_t k, rows const& a, narrow_vectors const& w, float* c,
                                           std::size_t ldc, bool add, std::index_sequence<R...>,
                                           std::index_sequence<V...> vectors, Digits all_digits,
                                           std::index_sequence<I...>) {
        constexpr std::size_t wide = sizeof...(V);
        whole sums[digits * sizeof...(I)]{};
        std::uint32_t const* const from[] = {w.data + w.at(w.before + V)...};
        std::size_t const count = digits_of_row<Format>::words_of(w.row, k);
        for (std::size_t at = 0; at < count; ++at) {
            whole const columns[] = {load(from[V] + at * w.at.step)...};
            (add_row(a.data[R], at, columns, sums + R * digits * wide, vectors, all_digits), ...);
        }
        batch const scales[] = {simd<float>::load(w.scales + V * lanes)...};
        (store(value<wide>(a.data[I / wide], sums + I / wide * digits * wide + I % wide, all_digits) *
                   scales[I % wide],
               c + I / wide * ldc + I % wide * lanes, add),
         ...);
    }
    template <std::size_t Rows, std::size_t Vectors>
    static void tile(std::size_t k, rows const& a, narrow_vectors const& w, float* c, std::size_t ldc,
                     bool add) {
        run(k, a, w, c, ldc, add, std::make_index_sequence<Rows>(), std::make_index_sequence<Vectors>(),
            std::make_index_sequence<digits>(), std::make_index_sequence<Rows * Vectors>());
    }
};

} // namespace sluice::xtensor
