// SPDX-License-Identifier: BSL-1.0
// Tiles of int8 weights (byte_tiles.hpp) in the registers of AMX: up to 16 rows of A with one or two vectors
// of columns. A register of words of W is multiplied with one of each digit of A, 64 rows of W at a time:
//
//   K = 100 rows, 25 words    a register of words 0 to 15, and one of words 9 to 24, in which A has zeros for
//                             words 9 to 15
//
// Sums are whole numbers, and exact, so that a row has the same numbers here, to the bit, as in byte_tiles.
// bfloat16 is not multiplied so: the machine would add in another order, and the numbers of a row would
// depend on how many rows there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sluice/xtensor/narrow/amx.hpp>
#include <sluice/xtensor/narrow/byte_tiles.hpp>
#include <utility>

namespace sluice::xtensor {

/// Rows of A lie one after the other, each with all of its digits. After the last there is room for
/// `rows_after` more, which are read, whatever is there. K is at least 64 from the first row of a word on.
/// Lanes are those of AVX-512.
template <class Format = machine_digits>
struct amx_tiles : byte_tiles<Format> {
    using tiles = byte_tiles<Format>;
    using typename tiles::function;
    using typename tiles::rows;
    using session = amx;
    static constexpr std::size_t digits = tiles::digits, lanes = tiles::lanes;

    static constexpr std::size_t most_rows = amx::rows, most_vectors = 2, most_of_row = 2;
    static constexpr std::size_t most_sums = most_rows * most_vectors, rows_after = most_rows - 1;
    static constexpr int of_w = 6, of_a = 7; ///< registers; sums are in those before

    /// Whether there are such tiles at all; the machine still has to have the registers.
    static constexpr bool are_known = lanes == amx::words && digits > 0 && of_w >= most_vectors* digits;
    /// Whether a product is faster with them than with byte_tiles, which take no time to be made ready.
    static constexpr bool are_for(std::size_t m, std::size_t n, std::size_t k) {
        return m >= 8 && k >= 4 * amx::words && n >= lanes && m * n * k >= std::size_t(1) << 18;
    }

    static constexpr std::size_t width(std::size_t, std::size_t left) { return left < 2 ? left : 2; }
    static function of(std::size_t rows, std::size_t vectors) {
        return tile_table<amx_tiles>::all[rows - 1][vectors - 1];
    }
    static function of_row(std::size_t vectors) { return of(1, vectors); }

private:
    friend struct tile_table<amx_tiles>;
    using whole = typename tiles::whole;
    using batch = typename tiles::batch;

    /// 64 rows of W: `w` is where their words of each vector are, `a` those of the first digit of A.
    template <std::size_t... V, class Digits>
    [[gnu::always_inline]] static void add_block(std::uint32_t const* const* w, std::size_t row_of_w,
                                                 std::uint32_t const* a, std::size_t row_of_a,
                                                 std::size_t digit, std::index_sequence<V...>, Digits all) {
        (add_vector<V * digits>(w[V], row_of_w, a, row_of_a, digit, all), ...);
    }
    template <std::size_t First, std::size_t... P>
    [[gnu::always_inline]] static void add_vector(std::uint32_t const* w, std::size_t row_of_w,
                                                  std::uint32_t const* a, std::size_t row_of_a,
                                                  std::size_t digit, std::index_sequence<P...>) {
        amx::load<of_w>(w, row_of_w);
        ((amx::load<of_a>(a + P * digit, row_of_a), amx::multiply_add<First + P, of_a, of_w>()), ...);
    }
    /// The last words of rows of digits, after so many that are zeros.
    static void copy_last(std::uint32_t const* a, std::size_t count, std::size_t row, std::size_t zeros,
                          std::uint32_t* to) {
        for (std::size_t r = 0; r < count; ++r)
            for (std::size_t i = 0; i < amx::words; ++i)
                to[r * amx::words + i] = i < zeros ? 0 : a[r * row + i];
    }

    template <std::size_t... V, std::size_t... P>
    static void run(std::size_t count, std::size_t k, rows const& a, narrow_vectors const& w, float* c,
                    std::size_t ldc, bool add, std::index_sequence<V...> vectors,
                    std::index_sequence<P...> all_digits) {
        constexpr std::size_t wide = sizeof...(V), size = amx::rows * amx::words;
        std::uint32_t const* const first = a.data->words;
        std::size_t const digit = a.data->next, row = digits * digit;
        std::size_t const words = digits_of_row<Format>::words_of(w.row, k);
        std::uint32_t const* from[] = {w.data + w.at(w.before + V)...};
        (clear<V * digits>(all_digits), ...);
        std::size_t at = 0;
        for (; at + amx::words <= words; at += amx::words) {
            add_block(from, w.at.step, first + at, row, digit, vectors, all_digits);
            ((from[V] += amx::words * w.at.step), ...);
        }
        if (at < words) {
            std::size_t const before = at + amx::words - words;
            alignas(64) std::uint32_t last[digits * size];
            (copy_last(first + P * digit + words - amx::words, count, row, before, last + P * size), ...);
            ((from[V] -= before * w.at.step), ...);
            add_block(from, w.at.step, last, amx::words, size, vectors, all_digits);
        }
        alignas(64) std::int32_t sums[wide * digits * size];
        (store<V * digits>(sums + V * digits * size, all_digits), ...);
        for (std::size_t r = 0; r < count; ++r)
            (finish(a.data[r], sums + V * digits * size + r * amx::words, w.scales + V * lanes,
                    c + r * ldc + V * lanes, add, all_digits),
             ...);
    }
    template <std::size_t First, std::size_t... P>
    static void clear(std::index_sequence<P...>) {
        (amx::clear<First + P>(), ...);
    }
    template <std::size_t First, std::size_t... P>
    static void store(std::int32_t* to, std::index_sequence<P...>) {
        (amx::store<First + P>(to + P * amx::rows * amx::words), ...);
    }
    /// A row of one vector, of the sums of its digits.
    template <std::size_t... P>
    [[gnu::always_inline]] static void finish(digits_of_row<Format> const& row, std::int32_t const* sums,
                                              float const* scales, float* to, bool add,
                                              std::index_sequence<P...> all_digits) {
        auto const load = [&](std::size_t p) {
            return tiles::load(reinterpret_cast<std::uint32_t const*>(sums) + p * amx::rows * amx::words);
        };
        whole const found[] = {load(P)...};
        tiles::store(tiles::template value<1>(row, found, all_digits) * simd<float>::load(scales), to, add);
    }
    template <std::size_t Rows, std::size_t Vectors>
    static void tile(std::size_t k, rows const& a, narrow_vectors const& w, float* c, std::size_t ldc,
                     bool add) {
        run(Rows, k, a, w, c, ldc, add, std::make_index_sequence<Vectors>(),
            std::make_index_sequence<digits>());
    }
};

} // namespace sluice::xtensor
