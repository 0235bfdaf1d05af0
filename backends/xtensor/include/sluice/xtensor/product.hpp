// SPDX-License-Identifier: BSL-1.0
// Products of packed matrices: C[m, n] = A[m, k] W[k, n], or added to C.
//
//   for rows of A that the second cache keeps:
//     for a few vectors of columns, as many as a tile is wide:
//       for rows of W of which the second cache keeps those vectors:
//         for tiles of rows, all of about the same height:  C[tile] += A[tile] W[vectors]
//
// A number of C is summed in the order of k, from what C holds or from zero, whatever the counts are
// (tiles.hpp): a row has the same result, to the bit, alone and among others. Steps of constant sizes at
// batch 1 have sums of their own (row_step.hpp), which agree with these to rounding.
#pragma once

#include <sluice/xtensor/panels.hpp>
#include <sluice/xtensor/tiles.hpp>

namespace sluice::xtensor {

/// Whether a product with so many bytes of weights visits its columns from the last to the first: after one
/// that did not, what that read last is still in the caches.
inline bool is_last_first(std::size_t bytes, matrix_part const& part) {
    return bytes > 32 * 1024 && part.backward != 0;
}

template <class S>
row_product<S>::row_product(std::size_t m, std::size_t n, std::size_t k, packed_matrix<S> const& w,
                            matrix_part const& part, S* c, bool add)
    : places_(w.places()), k_(k), c_(c), add_(add), is_last_first_(is_last_first(n * k * sizeof(S), part)) {
    constexpr std::size_t lanes = simd<S>::lanes;
    if (m != 1 || k == 0 || n == 0 || n % lanes != 0 || part.column % (lanes * places_.vectors) != 0)
        return;
    most_ = tiles<S>::of_row_at_once(k);
    while (last_ + most_ < n / lanes)
        last_ += most_;
    panels_ = w.panels(part.group) + part.row * places_.step + places_(part.column / lanes);
    tile_ = tiles<S>::of_row(most_);
    last_tile_ = tiles<S>::of_row(n / lanes - last_);
}
template <class S>
void row_product<S>::run(S const* a) const {
    auto const run_part = [&](tile_function<S> tile, std::size_t v) {
        tile(k_, {a, 0, 1}, {panels_ + places_(v), places_, 0}, c_ + v * simd<S>::lanes, 0, add_);
    };
    if (is_last_first_)
        run_part(last_tile_, last_);
    for (std::size_t v = 0; v < last_; v += most_)
        run_part(tile_, is_last_first_ ? last_ - most_ - v : v);
    if (!is_last_first_)
        run_part(last_tile_, last_);
}

namespace detail {

/// So many parts, none of them larger than `most`.
inline std::size_t parts_of(std::size_t count, std::size_t most) {
    return (count + most - 1) / most;
}

/// f(first, count) for that many parts of about the same size. It divides once, as parts may be short.
template <class F>
void for_parts(std::size_t all, std::size_t count, F f) {
    if (count <= 1)
        return count == 0 ? void() : f(std::size_t(0), all);
    std::size_t const size = all / count, longer = all % count;
    for (std::size_t i = 0, first = 0, here = 0; i < count; ++i, first += here) {
        here = size + (i < longer);
        f(first, here);
    }
}

/// Room of a thread, which keeps it.
template <class S>
S* room_for(std::size_t count) {
    thread_local aligned_numbers<S> room;
    if (room.size() < count)
        room = with_end<S>(count);
    return room.data();
}

/// Columns [head, head + n) of the vectors from `first_vector` on. Tiles say what panels are made of.
template <class S, class Tiles = tiles<S>>
struct product_of_panels {
    static constexpr std::size_t lanes = simd<S>::lanes;

    std::size_t m, n, k;
    typename Tiles::rows a;
    typename Tiles::source w;
    std::size_t first_vector, head;
    S* c;
    std::size_t ldc;
    bool add;

    void run(bool is_backward) const {
        constexpr std::size_t most = Tiles::most_rows;
        if (m == 1 && first_vector % w.at.vectors == 0)
            return for_panels(is_backward, [&](std::size_t v, std::size_t width) {
                run_tile(Tiles::of_row(width), 0, 1, v, width, 0, k);
            });
        if (m <= most) // without a division: this is the step of a recurrence, and it may be short
            return for_vectors(m, is_backward, [&](std::size_t v, std::size_t width) {
                run_tile(Tiles::of(m, width), 0, m, v, width, 0, k);
            });
        for_parts(m, parts_of(m, std::max(kept_rows / k, 8 * most)), [&](std::size_t row, std::size_t rows) {
            std::size_t const count = parts_of(rows, most);
            for_vectors(parts_of(rows, count), is_backward,
                        [&](std::size_t v, std::size_t width) { run_rows(row, rows, count, v, width); });
        });
    }

private:
    static constexpr std::size_t kept_rows = 256 * 1024 / sizeof(S); ///< numbers of A
    static constexpr std::size_t most_k = Tiles::most_k;

    /// f(first, count) for all vectors, as many at a time as tiles of so many rows are wide.
    template <class F>
    void for_vectors(std::size_t rows, bool is_backward, F const& f) const {
        std::size_t const count = w.at.vectors_of(head + n);
        for (std::size_t v = 0, width = 0; v < count; v += width) {
            width = Tiles::width(rows, count - v);
            f(is_backward ? count - v - width : v, width);
        }
    }
    /// The same for one row, each from the beginning of a panel.
    template <class F>
    void for_panels(bool is_backward, F const& f) const {
        constexpr std::size_t most = Tiles::most_of_row;
        std::size_t const count = w.at.vectors_of(head + n);
        if (is_backward)
            for (std::size_t v = (count - 1) / most * most, width = count - v;; v -= most, width = most) {
                f(v, width);
                if (v == 0)
                    return;
            }
        else
            for (std::size_t v = 0; v < count; v += most)
                f(v, std::min(most, count - v));
    }

    void run_rows(std::size_t row, std::size_t rows, std::size_t tile_count, std::size_t v,
                  std::size_t width) const {
        for_parts(k, parts_of(k, most_k), [&](std::size_t first_k, std::size_t k_count) {
            for_parts(rows, tile_count, [&](std::size_t r, std::size_t r_count) {
                run_tile(Tiles::of(r_count, width), row + r, r_count, v, width, first_k, k_count);
            });
        });
    }

    void run_tile(typename Tiles::function tile, std::size_t r, std::size_t rows, std::size_t v,
                  std::size_t width, std::size_t first_k, std::size_t k_count) const {
        auto const from = a.from(r, first_k);
        auto const vectors = w.from(first_vector + v, first_k);
        bool const adds = add || first_k > 0;
        std::size_t const column = v * lanes, columns = width * lanes;
        S* const to = c + r * ldc;
        if (column >= head && column + columns <= head + n)
            return tile(k_count, from, vectors, to + (column - head), ldc, adds);
        // Lanes outside of C are computed in a copy.
        std::size_t const first = std::max(column, head), last = std::min(column + columns, head + n);
        alignas(64) S copy[Tiles::most_sums * lanes];
        if (adds)
            for (std::size_t i = 0; i < rows; ++i) {
                std::fill_n(copy + i * columns, columns, S(0));
                std::copy(to + i * ldc + first - head, to + i * ldc + last - head,
                          copy + i * columns + first - column);
            }
        tile(k_count, from, vectors, copy, columns, adds);
        for (std::size_t i = 0; i < rows; ++i)
            std::copy_n(copy + i * columns + (first - column), last - first, to + i * ldc + (first - head));
    }
};

/// C[m, n] = A[m, k] W[k, n] of a part of a matrix, or added to C; of several parts, n columns of each.
template <class Tiles, class S, class Matrix>
[[gnu::noinline]] void
multiply_panels(std::size_t m, std::size_t n, std::size_t k, typename Tiles::rows const& a, Matrix const& w,
                matrix_part const& part, S* c, std::size_t ldc, bool add, column_parts const& all) {
    if (m == 0 || n == 0)
        return;
    constexpr std::size_t lanes = simd<S>::lanes;
    bool const last_first = is_last_first(all.count * n * k * Tiles::bits / 8, part);
    for (std::size_t i = 0; i < all.count; ++i) {
        std::size_t const at = (last_first ? all.count - 1 - i : i) * all.next, column = part.column + at;
        if (k > 0)
            product_of_panels<S, Tiles>{
                m,      n,   k,  a, Tiles::source_of(w, part.group, part.row), column / lanes, column % lanes,
                c + at, ldc, add}
                .run(last_first);
        else
            for (std::size_t r = 0; r < m && !add; ++r)
                std::fill_n(c + r * ldc + at, n, S(0));
    }
}

} // namespace detail

template <class S>
void multiply_packed(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda,
                     packed_matrix<S> const& w, matrix_part const& part, S* c, std::size_t ldc, bool add,
                     column_parts const& all) {
    if (row_product<S> const row(m, n, k, w, part, c, add); all.count == 1 && row.is_found())
        return row.run(a);
    detail::multiply_panels<tiles<S>>(m, n, k, {a, lda, 1}, w, part, c, ldc, add, all);
}

/// G[m, n] = A[k, m]^T D[k, n], or added to G. D is put into panels, as much of it as the second cache keeps.
/// A is transposed where the first caches do not keep it: each number of a column lies in a line and a page
/// of its own, and those of a column of 1024 all in the same few places of a cache. The sums of G are in the
/// order of k too.
template <class S>
void multiply_outer(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda, S const* d,
                    std::size_t ldd, S* g, std::size_t ldg, bool add) {
    constexpr std::size_t lanes = simd<S>::lanes, most_k = 512, most_n = 512, most_m = 128;
    using places_type = panel_places<lanes>;
    if (m == 0 || n == 0)
        return;
    if (k == 0) {
        for (std::size_t r = 0; r < m && !add; ++r)
            std::fill_n(g + r * ldg, n, S(0));
        return;
    }
    std::size_t const k_parts = detail::parts_of(k, most_k), n_parts = detail::parts_of(n, most_n);
    std::size_t const most_rows = detail::parts_of(k, k_parts);
    bool const is_turned = n >= 128 && most_rows * lda * sizeof(S) > 128 * 1024;
    std::size_t const m_parts = is_turned ? detail::parts_of(m, most_m) : 1;
    auto const places = places_type::of(most_rows, std::min(n, most_n));
    std::size_t const panel_numbers = places.panels_of(std::min(n, most_n)) * places.next;
    // Rows of the transpose, which are no multiple of a page apart.
    places_type const turned_places{(most_rows / lanes + 2) * lanes, places_type::vectors * lanes};
    S* const panels =
        detail::room_for<S>(panel_numbers + (is_turned ? std::min(m, most_m) * turned_places.step : 0));
    S* const turned = panels + panel_numbers;
    detail::for_parts(k, k_parts, [&](std::size_t row, std::size_t rows) {
        detail::for_parts(n, n_parts, [&](std::size_t column, std::size_t columns) {
            fill_panels(rows, columns, d + row * ldd + column, ldd, std::size_t(1), panels, places);
            detail::for_parts(m, m_parts, [&](std::size_t first, std::size_t count) {
                tile_rows<S> from{a + row * lda + first, 1, lda};
                if (is_turned) {
                    fill_panels(count, rows, from.data, std::size_t(1), lda, turned, turned_places);
                    from = {turned, turned_places.step, 1};
                }
                detail::product_of_panels<S>{
                    count, columns,       rows, from, {panels, places}, 0, 0, g + first * ldg + column,
                    ldg,   add || row > 0}
                    .run(false);
            });
        });
    });
}

} // namespace sluice::xtensor
