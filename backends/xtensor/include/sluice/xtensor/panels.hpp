// SPDX-License-Identifier: BSL-1.0
// A matrix that is packed to be multiplied with many times: in panels of two vectors of columns, in which the
// rows follow each other without a gap. A matrix of one vector is one panel, as wide as that.
//
//   panel[p][k][v][lane] = W[k, (p * 2 + v) * lanes + lane], zero after the last column; lanes of a vector
//
// The 768 columns of a GRU of 256 units are 48 vectors of 16 floats, in 24 panels. One row is multiplied with
// 12 vectors at a time, which are six streams: as many as the machine reads ahead. Eight rows are multiplied
// with three vectors, two streams.
//
// Each group has panels of its own. Rows of a part are rows of its panels; columns of a part are vectors of
// them, and lanes of those at its two ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <sluice/backend/kernels.hpp>
#include <sluice/core/unwritten.hpp>
#include <sluice/xtensor/simd/batches.hpp>
#include <span>
#include <vector>

namespace sluice::xtensor {

template <class S>
using aligned_numbers = sluice::detail::unwritten<S>;

/// Where the numbers of panels are.
template <std::size_t Lanes>
struct panel_places {
    static constexpr std::size_t vectors = 2; ///< of a panel

    std::size_t step; ///< from one row to the next
    std::size_t next; ///< from one panel to the next

    static constexpr panel_places of(std::size_t rows, std::size_t columns) {
        std::size_t const step = std::clamp<std::size_t>(vectors_of(columns), 1, vectors) * Lanes;
        return {step, rows * step};
    }
    static constexpr std::size_t vectors_of(std::size_t columns) { return (columns + Lanes - 1) / Lanes; }
    static constexpr std::size_t panels_of(std::size_t columns) {
        return (vectors_of(columns) + vectors - 1) / vectors;
    }
    /// The first number of a vector.
    constexpr std::size_t operator()(std::size_t vector) const {
        return vector / vectors * next + vector % vectors * Lanes;
    }
};

/// Puts W[rows, columns], whose number (k, c) is from[k * row + c * column], into panels; one of the two
/// distances is 1. The first column is in lane `head` of the vector `first`. Other lanes stay as they are.
template <class S>
void fill_panels(std::size_t rows, std::size_t columns, S const* from, std::size_t row, std::size_t column,
                 S* panels, panel_places<simd<S>::lanes> const& at, std::size_t first = 0,
                 std::size_t head = 0) {
    constexpr std::size_t lanes = simd<S>::lanes, block = 16;
    auto const fill = [&](S* to, S const* part, std::size_t k, std::size_t count) {
        for (std::size_t c = 0; c < count; ++c)
            to[k * at.step + c] = part[k * row + c * column];
    };
    if (head > 0) {
        std::size_t const count = std::min(lanes - head, columns);
        for (std::size_t k = 0; k < rows; ++k)
            fill(panels + at(first) + head, from, k, count);
        from += count * column, columns -= count, ++first;
    }
    std::size_t const whole = columns / lanes, blocks = rows / lanes * lanes;
    if (column == 1) // a few rows at a time, from page to page
        for (std::size_t begin = 0; begin < rows; begin += block)
            for (std::size_t v = 0; v < whole; ++v)
                for (std::size_t k = begin; k < std::min(rows, begin + block); ++k)
                    simd<S>::store(simd<S>::load(from + k * row + v * lanes),
                                   panels + at(first + v) + k * at.step);
    else
        for (std::size_t v = 0; v < whole; ++v) {
            S const* const part = from + v * lanes * column;
            S* const to = panels + at(first + v);
            for (std::size_t k = 0; k < blocks; k += lanes)
                simd<S>::transpose(part + k, column, to + k * at.step, at.step);
            for (std::size_t k = blocks; k < rows; ++k)
                fill(to, part, k, lanes);
        }
    for (std::size_t k = 0; k < rows && columns % lanes > 0; ++k)
        fill(panels + at(first + whole), from + whole * lanes * column, k, columns % lanes);
}

/// So many bytes are asked for ahead of their use.
inline constexpr std::size_t asked_ahead = 8192;

/// Room for panels. After them there are as many zeros as are asked for ahead: where memory was never
/// written to, each request would look for it through all tables of pages, which takes several times as long
/// as a short product.
template <class S>
aligned_numbers<S> with_end(std::size_t count) {
    constexpr std::size_t ahead = asked_ahead / sizeof(S);
    aligned_numbers<S> all(count + ahead);
    std::fill_n(all.data() + count, ahead, S(0));
    return all;
}

/// The same columns of some parts of a matrix, and of a product with it: each begins so far after the one
/// before.
struct column_parts {
    std::size_t count = 1, next = 0;
};

/// `Lanes` is part of its type, so that files that were compiled for different instruction sets do not link,
/// rather than read each other's panels.
template <class S, std::size_t Lanes = widest<S>>
class packed_matrix {
public:
    packed_matrix() = default;
    /// Of the [groups, rows, columns] of a matrix, of which the parts are some columns each, or of their
    /// transposes.
    packed_matrix(matrix_extents const& e, std::span<matrix_columns<S> const> parts, bool transposed);

    /// Puts others of the same extents in their place: copies have these then, too.
    void pack_again(std::span<matrix_columns<S> const> parts, bool transposed);

    /// The columns of each of the matrices that lie in it side by side, as those of gates do; 0 where they
    /// differ.
    std::size_t part_columns() const { return part_columns_; }
    matrix_extents const& extents() const { return extents_; } ///< as it is packed
    panel_places<Lanes> const& places() const { return places_; }
    S const* panels(std::size_t group) const { return shared_->data() + group * group_size_; }

private:
    static constexpr std::size_t lanes = Lanes;

    matrix_extents extents_{};
    panel_places<Lanes> places_{};
    std::size_t group_size_ = 0; ///< numbers of a group
    std::size_t part_columns_ = 0;
    std::shared_ptr<aligned_numbers<S>> shared_{}; ///< copies have the same
};

template <class S, std::size_t Lanes>
packed_matrix<S, Lanes>::packed_matrix(matrix_extents const& e, std::span<matrix_columns<S> const> parts,
                                       bool transposed)
    : extents_(transposed ? matrix_extents{e.groups, e.columns, e.rows} : e),
      places_(places_.of(extents_.rows, extents_.columns)),
      group_size_(places_.panels_of(extents_.columns) * places_.next),
      shared_(std::make_shared<aligned_numbers<S>>(with_end<S>(extents_.groups * group_size_))) {
    pack_again(parts, transposed);
}

template <class S, std::size_t Lanes>
void packed_matrix<S, Lanes>::pack_again(std::span<matrix_columns<S> const> parts, bool transposed) {
    std::size_t const rows = transposed ? extents_.columns : extents_.rows;
    part_columns_ = 0;
    if (!transposed && !parts.empty() &&
        std::ranges::all_of(parts, [&](auto const& p) { return p.columns == parts.front().columns; }))
        part_columns_ = parts.front().columns;
    for (std::size_t g = 0; g < extents_.groups; ++g) {
        S* const panels = shared_->data() + g * group_size_;
        for (std::size_t k = 0; k < extents_.rows && extents_.columns % lanes > 0; ++k)
            std::fill_n(panels + places_(places_.vectors_of(extents_.columns) - 1) + k * places_.step, lanes,
                        S(0));
        std::size_t at = 0;
        for (auto const& [values, columns] : parts) {
            S const* const from = values + g * rows * columns;
            if (transposed)
                fill_panels(columns, rows, from, std::size_t(1), columns, panels + at * places_.step,
                            places_);
            else
                fill_panels(rows, columns, from, columns, std::size_t(1), panels, places_, at / lanes,
                            at % lanes);
            at += columns;
        }
    }
}

template <class S>
struct tile_rows;
template <class S>
struct tile_vectors;
/// The innermost loop of a product (tiles.hpp).
template <class S>
using tile_function = void (*)(std::size_t k, tile_rows<S> const& a, tile_vectors<S> const& w, S* c,
                               std::size_t ldc, bool add);

/// The product of one row with whole vectors of columns, from the beginning of a panel on: the step of a
/// recurrence, which may be so short that to find what to do takes as long. product.hpp has its functions.
template <class S>
class row_product {
public:
    /// As kernels are asked for a product.
    row_product(std::size_t m, std::size_t n, std::size_t k, packed_matrix<S> const& w,
                matrix_part const& part, S* c, bool add);
    /// Whether it is such a product.
    bool is_found() const { return last_tile_ != nullptr; }
    void run(S const* a) const;

private:
    panel_places<widest<S>> places_;
    S const* panels_ = nullptr;
    std::size_t k_, most_ = 0, last_ = 0; ///< vectors of a part, and before the last one
    tile_function<S> tile_ = nullptr, last_tile_ = nullptr;
    S* c_;
    bool add_, is_last_first_;
};

} // namespace sluice::xtensor
