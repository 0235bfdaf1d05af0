// SPDX-License-Identifier: BSL-1.0
// The innermost loop of a product: a few rows of C, a few vectors wide, stay in registers while k runs.
//
//   C[r, v] += sum over k of A[r, k] W[k, v]       r: up to 8 rows,  v: up to 12 vectors of columns
//
// Tiles of many rows ask for W a little before they need it: it streams from the second cache, or the third,
// at the rate of their sums. Few rows leave that to the machine, which reads ahead by itself as fast as it
// can.
//
// Each number of C is summed by itself, in the order of k, from what C held before or from zero: it is the
// same to the bit, whichever tile computes it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <sluice/xtensor/panels.hpp>
#include <sluice/xtensor/simd/batches.hpp>
#include <utility>

namespace sluice::xtensor {

/// Numbers of A are `row` apart from one row to the next, and `step` from one k to the next.
template <class S>
struct tile_rows {
    S const* data;
    std::size_t row, step;

    tile_rows from(std::size_t r, std::size_t k) const { return {data + r * row + k * step, row, step}; }
};
/// Vectors of columns of W, from one on that has so many before it in its panel.
template <class S>
struct tile_vectors {
    using places = panel_places<simd<S>::lanes>;

    S const* data;
    places const& at;
    std::size_t before;
};
/// The panels of a group, from a row on.
template <class S>
struct tile_source {
    using places = panel_places<simd<S>::lanes>;

    S const* panels;
    places at;

    /// Row k of the vectors from `first` on.
    tile_vectors<S> from(std::size_t first, std::size_t k) const {
        return {panels + at(first) + k * at.step, at, first % places::vectors};
    }
};
/// Tiles of a kind by their rows and vectors: those for which Tiles::width asks. Tiles::tile<rows, vectors>
/// is one of them.
template <class Tiles>
struct tile_table {
    using function = typename Tiles::function;
    using tiles_of_rows = std::array<function, Tiles::most_vectors>;

    template <std::size_t Rows, std::size_t Vectors>
    static constexpr function find() {
        // A tile below another has its width, and may have a row less.
        constexpr bool is_below = Rows >= Tiles::most_rows / 2 && Rows < Tiles::most_rows;
        if constexpr (Tiles::width(Rows, Vectors) == Vectors ||
                      (is_below && Tiles::width(Rows + 1, Vectors) == Vectors))
            return &Tiles::template tile<Rows, Vectors>;
        else
            return nullptr;
    }
    template <std::size_t Rows, std::size_t... V>
    static constexpr tiles_of_rows of_rows(std::index_sequence<V...>) {
        return {find<Rows, V + 1>()...};
    }
    template <std::size_t... R>
    static constexpr std::array<tiles_of_rows, Tiles::most_rows> of_all(std::index_sequence<R...>) {
        return {of_rows<R + 1>(std::make_index_sequence<Tiles::most_vectors>())...};
    }
    static constexpr auto all = of_all(std::make_index_sequence<Tiles::most_rows>());
};

template <class S>
struct tiles {
    static constexpr std::size_t lanes = simd<S>::lanes;
    static constexpr std::size_t bits = 8 * sizeof(S); ///< of a weight
    /// Rows of W that many rows of A are multiplied with at a time.
    static constexpr std::size_t most_k = 4096 / sizeof(S);
    using rows = tile_rows<S>;
    using function = tile_function<S>;
    using source = tile_source<S>;
    static source source_of(packed_matrix<S> const& w, std::size_t group, std::size_t row) {
        return {w.panels(group) + row * w.places().step, w.places()};
    }
    /// Sums that registers hold, beside a row of W and a number of A.
    static constexpr std::size_t most_sums = simd<S>::registers * 3 / 4;
    static constexpr std::size_t most_vectors = 8;
    static constexpr std::size_t most_rows = simd<S>::registers == 32 ? 8 : 6;

    /// Vectors that one row is multiplied with at most at a time, if they begin with a panel: all of them are
    /// at known places.
    static constexpr std::size_t most_of_row = 12;
    /// How many of W's k rows: half of them if the first cache keeps what that reads, and not twice as much.
    /// The next step, which goes the other way, finds it there.
    static constexpr std::size_t of_row_at_once(std::size_t k) {
        constexpr std::size_t kept = 32 * 1024 / (most_of_row * lanes * sizeof(S));
        return k > kept && k <= 2 * kept ? most_of_row / 2 : most_of_row;
    }

    /// How wide a tile of so many rows is that so many vectors are left for: as wide as can be while there
    /// are enough of them, then a power of two, and for one row, which is the step of a recurrence, all of
    /// them. Where products take no operand out of memory, a row of W and two numbers of A have registers
    /// too.
    static constexpr std::size_t width(std::size_t rows, std::size_t left) {
        std::size_t widest = std::min(most_vectors, most_sums / rows);
        if (!simd<S>::multiplies_memory && rows * widest + widest + 2 > simd<S>::registers)
            widest -= tile_vectors<S>::places::vectors;
        if (left == 4 && widest == 3)
            return 2;
        return left >= widest ? widest : rows == 1 ? left : std::bit_floor(left);
    }
    /// The tile of so many rows and vectors.
    static tile_function<S> of(std::size_t rows, std::size_t vectors) {
        return tile_table<tiles>::all[rows - 1][vectors - 1];
    }
    /// The tile of one row and so many vectors, that begins with a panel.
    static tile_function<S> of_row(std::size_t vectors) { return all_of_row[vectors - 1]; }

private:
    friend struct tile_table<tiles>;
    using batch = typename simd<S>::type;

    template <std::size_t... V>
    [[gnu::always_inline]] static void add_row(batch const& x, batch const* w, batch* sums,
                                               std::index_sequence<V...>) {
        ((sums[V] = simd<S>::multiply_add(x, w[V], sums[V])), ...);
    }
    /// The same, before numbers of A are read for rows after this.
    template <std::size_t... V>
    [[gnu::always_inline]] static void add_row_first(S const*& a, std::size_t row, batch const* w,
                                                     batch* sums, std::index_sequence<V...> vectors) {
        add_row(batch(a[row]), w, sums, vectors);
        (simd<S>::read_after(a, sums[V]), ...);
    }
    /// The numbers of all rows with a vector of columns, before what is read from `next` after this.
    template <std::size_t... R>
    [[gnu::always_inline]] static void add_column(batch const* x, batch const& w, batch* sums,
                                                  std::size_t width, S const*& next,
                                                  std::index_sequence<R...>) {
        ((sums[R * width] = simd<S>::multiply_add(x[R], w, sums[R * width])), ...);
        simd<S>::read_after(next, sums[0]);
    }
    /// Asks for a line of the cache with the first of the vectors in it.
    template <std::size_t Vector, int Writes = 0>
    [[gnu::always_inline]] static void ask(S const* p) {
        if constexpr (Vector * lanes * sizeof(S) % 64 == 0)
            __builtin_prefetch(p, Writes);
    }
    template <bool Once>
    [[gnu::always_inline]] static batch load(S const* p) {
        return Once ? simd<S>::load_once(p) : simd<S>::load(p);
    }
    /// Vector v, at a place that the compiler knows but for the distance of panels if the first begins one.
    template <bool Whole>
    [[gnu::always_inline]] static S const* vector(tile_vectors<S> const& w, std::size_t v) {
        return Whole ? w.data + w.at(v) : w.data + w.at(w.before + v) - w.before * lanes;
    }
    template <bool Whole, std::size_t... R, std::size_t... V, std::size_t... I>
    [[gnu::always_inline]] static void run(std::size_t k, tile_rows<S> a, tile_vectors<S> const& w, S* c,
                                           std::size_t ldc, bool add, std::index_sequence<R...> rows,
                                           std::index_sequence<V...> vectors, std::index_sequence<I...>) {
        constexpr std::size_t width = sizeof...(V);
        constexpr bool fits = sizeof...(R) > 1 && sizeof...(I) + width < simd<S>::registers;
        constexpr bool is_tight =
            fits && !simd<S>::multiplies_memory && sizeof...(I) + width + sizeof...(R) > simd<S>::registers;
        // Beside the sums there is no room for a row of W, but for the two numbers of A.
        constexpr bool by_columns = !fits && sizeof...(R) == 2;
        constexpr bool asks = sizeof...(R) + 1 >= most_rows;
        batch sums[sizeof...(I)];
        if constexpr (asks) // for C, or for that of the next tile
            (ask<I % width, 1>(c + (add * sizeof...(R) + I / width) * ldc + I % width * lanes), ...);
        if (add)
            ((sums[I] = simd<S>::load(c + I / width * ldc + I % width * lanes)), ...);
        else
            ((sums[I] = batch(S(0))), ...);
        S const* const from[] = {vector<Whole>(w, V)...};
        std::size_t const step = w.at.step;
        for (std::size_t at = 0; k > 0; --k, a.data += a.step, at += step) {
            if constexpr (by_columns) {
                batch const x[] = {batch(a.data[R * a.row])...};
                S const* w_k = from[0] + at;
                (add_column(x, load<true>(w_k + (from[V] - from[0])), sums + V, width, w_k, rows), ...);
                continue;
            }
            batch const columns[] = {load<fits>(from[V] + at)...};
            if constexpr (asks)
                (ask<V>(from[V] + at + asked_ahead / sizeof(S)), ...);
            if constexpr (is_tight)
                (add_row_first(a.data, R * a.row, columns, sums + R * width, vectors), ...);
            else
                (add_row(batch(a.data[R * a.row]), columns, sums + R * width, vectors), ...);
        }
        (simd<S>::store(sums[I], c + I / width * ldc + I % width * lanes), ...);
    }
    template <std::size_t Rows, std::size_t Vectors, bool Whole = false>
    static void tile(std::size_t k, tile_rows<S> const& a, tile_vectors<S> const& w, S* c, std::size_t ldc,
                     bool add) {
        run<Whole>(k, a, w, c, ldc, add, std::make_index_sequence<Rows>(),
                   std::make_index_sequence<Vectors>(), std::make_index_sequence<Rows * Vectors>());
    }
    template <std::size_t... V>
    static constexpr std::array<tile_function<S>, most_of_row> of_one(std::index_sequence<V...>) {
        return {&tile<1, V + 1, true>...};
    }
    static constexpr auto all_of_row = of_one(std::make_index_sequence<most_of_row>());
};

} // namespace sluice::xtensor
