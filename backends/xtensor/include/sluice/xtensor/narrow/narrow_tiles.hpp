// SPDX-License-Identifier: BSL-1.0
// The innermost loop of a product with narrow weights (narrow_matrix.hpp); tiles.hpp has that of floats:
//
//   C[r, v] += sum over k of A[r, k] W[k, v]
//
// A word is loaded once for all rows of A; each of its rows becomes floats in registers, and is multiplied
// with. Sums are floats, in the order of k; of int8 they are of whole weights, and are multiplied by the
// scale of their column at their end. A row of C has therefore the same numbers, to the bit, in every tile.
//
// The instruction of AVX-512 for pairs of bfloat16 is not used: it takes A in bfloat16 too. A in two such
// parts is nearly as fine as floats, but then the instruction runs as often as the sums here do (on Zen 4
// both run once a cycle).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sluice/xtensor/narrow/narrow_matrix.hpp>
#include <sluice/xtensor/tiles.hpp>
#include <utility>

namespace sluice::xtensor {

/// Vectors of columns of W from a row on, which is so many rows after the first of its word.
struct narrow_vectors {
    using places = panel_places<simd<float>::lanes>;

    std::uint32_t const* data; ///< of the panel of the first vector
    float const* scales;       ///< of the first vector
    places const& at;
    std::size_t before; ///< vectors of its panel before the first
    std::size_t row;
};

/// A group of a matrix, from a row on.
template <class W>
struct narrow_source {
    using places = narrow_vectors::places;

    std::uint32_t const* panels;
    float const* scales;
    places at;
    std::size_t row;

    narrow_vectors from(std::size_t first, std::size_t k) const {
        constexpr std::size_t rows = narrow_words<W>::rows;
        return {panels + at(first - first % places::vectors) + (row + k) / rows * at.step,
                scales + (narrow_words<W>::has_scale ? first * simd<float>::lanes : 0), at,
                first % places::vectors, (row + k) % rows};
    }
};

template <class W>
struct narrow_tiles {
    static constexpr std::size_t lanes = simd<float>::lanes;
    static constexpr std::size_t bits = 32 / narrow_words<W>::rows;
    /// All rows of W at a time: a sum is multiplied by its scale once.
    static constexpr std::size_t most_k = std::numeric_limits<std::size_t>::max() / 2;

    using rows = tile_rows<float>;
    using function = void (*)(std::size_t k, tile_rows<float> const& a, narrow_vectors const& w, float* c,
                              std::size_t ldc, bool add);
    using source = narrow_source<W>;
    static source source_of(narrow_matrix<W> const& w, std::size_t group, std::size_t row) {
        return {w.panels(group), w.scales(group), w.places(), row};
    }

    static constexpr std::size_t most_vectors = 8;
    static constexpr std::size_t most_of_row = 8;
    static constexpr std::size_t most_rows = simd<float>::registers == 32 ? 8 : 6;

    static constexpr std::size_t most_sums = simd<float>::registers * 3 / 4; ///< beside a few words

    static constexpr std::size_t width(std::size_t rows, std::size_t left) {
        std::size_t const widest = std::min(most_vectors, std::bit_floor(most_sums / rows));
        return left >= widest ? widest : rows == 1 ? left : std::bit_floor(left);
    }
    static function of(std::size_t rows, std::size_t vectors) {
        return tile_table<narrow_tiles>::all[rows - 1][vectors - 1];
    }
    static function of_row(std::size_t vectors) { return of(1, vectors); }

private:
    friend struct tile_table<narrow_tiles>;
    using words = narrow_words<W>;
    using batch = simd<float>::type;
    using floats = typename batch::vector;
    using word_vector = typename detail::vector_of<std::uint32_t, lanes>::type;
    using word_anywhere = typename detail::vector_of<std::uint32_t, lanes>::anywhere;

    // Words are loaded where they are used, in the order of use: g++ keeps that order, and registers with it.

    [[gnu::always_inline]] static word_vector load(std::uint32_t const* p) {
        return *reinterpret_cast<word_anywhere const*>(p);
    }
    /// The same, where a compiler that knew them from the row before would keep them, and lose sums for it.
    [[gnu::always_inline]] static word_vector load_again(std::uint32_t const* p) {
        asm volatile("" : "+r"(p));
        return load(p);
    }
    template <std::size_t Row, bool HasRoom>
    [[gnu::always_inline]] static batch column(word_vector const& w) {
        return words::template widened<Row, HasRoom, floats>(w);
    }
    /// Row `Row` of words with several rows of A.
    template <std::size_t Row, std::size_t... R, std::size_t... V>
    [[gnu::always_inline]] static void add_row(tile_rows<float> const& a, std::uint32_t const* const* w,
                                               std::size_t at, batch* sums, std::index_sequence<R...>,
                                               std::index_sequence<V...>) {
        constexpr bool has_room = simd<float>::registers == 32;
        batch const columns[] = {
            column<Row, has_room>(has_room ? load(w[V] + at) : load_again(w[V] + at))...};
        auto const add = [&](batch const& x, batch* row) {
            ((row[V] = simd<float>::multiply_add(x, columns[V], row[V])), ...);
        };
        (add(batch(a.data[R * a.row]), sums + R * sizeof...(V)), ...);
    }
    /// All rows of words with one row of A: of each word while it is in a register.
    template <std::size_t... Row, std::size_t... V>
    [[gnu::always_inline]] static void add_word(tile_rows<float> const& a, std::uint32_t const* const* w,
                                                std::size_t at, batch* sums, std::index_sequence<Row...>,
                                                std::index_sequence<V...>) {
        batch const x[] = {batch(a.data[Row * a.step])...};
        auto const add = [&](word_vector const& word, batch& sum) {
            ((sum = simd<float>::multiply_add(x[Row], column<Row, true>(word), sum)), ...);
        };
        (add(load(w[V] + at), sums[V]), ...);
    }
    /// Rows [first, last) of words.
    template <class Rows, class Vectors, std::size_t... Row>
    [[gnu::always_inline]] static void
    add_rows(tile_rows<float>& a, std::uint32_t const* const* w, std::size_t at, batch* sums,
             std::size_t first, std::size_t last, Rows rows, Vectors vectors, std::index_sequence<Row...>) {
        ((first <= Row && Row < last ? (add_row<Row>(a, w, at, sums, rows, vectors), void(a.data += a.step))
                                     : void()),
         ...);
    }
    template <std::size_t... R, std::size_t... V, std::size_t... I>
    [[gnu::always_inline]] static void
    run(std::size_t k, tile_rows<float> a, narrow_vectors const& w, float* c, std::size_t ldc, bool add,
        std::index_sequence<R...> rows, std::index_sequence<V...> vectors, std::index_sequence<I...>) {
        constexpr std::size_t width = sizeof...(V), each = words::rows;
        constexpr auto all_rows = std::make_index_sequence<each>();
        batch sums[sizeof...(I)];
        if (add && !words::has_scale)
            ((sums[I] = simd<float>::load(c + I / width * ldc + I % width * lanes)), ...);
        else
            ((sums[I] = batch(0.f)), ...);
        std::uint32_t const* const from[] = {w.data + w.at(w.before + V)...};
        std::size_t at = 0;
        if (w.row > 0) {
            std::size_t const last = std::min(each, w.row + k);
            add_rows(a, from, at, sums, w.row, last, rows, vectors, all_rows);
            k -= last - w.row;
            at += w.at.step;
        }
        for (; k >= each; k -= each, at += w.at.step)
            if constexpr (sizeof...(R) == 1) {
                add_word(a, from, at, sums, all_rows, vectors);
                a.data += each * a.step;
            } else
                add_rows(a, from, at, sums, 0, each, rows, vectors, all_rows);
        if (k > 0)
            add_rows(a, from, at, sums, 0, k, rows, vectors, all_rows);
        if constexpr (words::has_scale) {
            batch const scales[] = {simd<float>::load(w.scales + V * lanes)...};
            ((sums[I] = sums[I] * batch(1 / words::unit)), ...);
            if (add)
                ((sums[I] =
                      simd<float>::multiply_add(sums[I], scales[I % width],
                                                simd<float>::load(c + I / width * ldc + I % width * lanes))),
                 ...);
            else
                ((sums[I] = sums[I] * scales[I % width]), ...);
        }
        (simd<float>::store(sums[I], c + I / width * ldc + I % width * lanes), ...);
    }
    template <std::size_t Rows, std::size_t Vectors>
    static void tile(std::size_t k, tile_rows<float> const& a, narrow_vectors const& w, float* c,
                     std::size_t ldc, bool add) {
        run(k, a, w, c, ldc, add, std::make_index_sequence<Rows>(), std::make_index_sequence<Vectors>(),
            std::make_index_sequence<Rows * Vectors>());
    }
};

} // namespace sluice::xtensor
