// SPDX-License-Identifier: BSL-1.0
// A matrix that is packed to be multiplied with many times: a panel for each vector of columns, in which the
// rows follow each other without a gap. Between panels there may be one.
//
//   panel[p][k][lane] = W[k, p * lanes + lane], zero behind the last column        lanes: of a SIMD vector
//
// Each group has panels of its own. Rows of a part are rows of its panels; columns of a part are whole panels,
// and lanes of those at its two ends.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <sluice/core/unwritten.hpp>
#include <sluice/lower/kernels.hpp>
#include <sluice/xtensor/simd.hpp>
#include <sluice/xtensor/tiles.hpp>
#include <span>
#include <vector>

namespace sluice::xtensor {

template <class S>
using aligned_numbers = sluice::detail::unwritten<S>;

/// Puts W[rows, columns], whose number (k, c) is from[k * row + c * column], into panels `next` numbers apart; one of the
/// two distances is 1. The first column is in lane `head` of the first panel. Other lanes stay as they are.
template <class S>
void fill_panels(std::size_t rows, std::size_t columns, S const* from, std::size_t row, std::size_t column,
                 S* panels, std::size_t next, std::size_t head = 0) {
    constexpr std::size_t lanes = simd<S>::lanes, block = 16;
    if (head > 0) {
        std::size_t const count = std::min(lanes - head, columns);
        for (std::size_t k = 0; k < rows; ++k)
            for (std::size_t c = 0; c < count; ++c)
                panels[k * lanes + head + c] = from[k * row + c * column];
        from += count * column, columns -= count, panels += next;
    }
    std::size_t const whole = columns / lanes, blocks = rows / lanes * lanes;
    auto const fill = [&](std::size_t p, std::size_t k, std::size_t count) {
        for (std::size_t c = 0; c < count; ++c)
            panels[p * next + k * lanes + c] = from[k * row + (p * lanes + c) * column];
    };
    if (column == 1) // a few rows at a time, from page to page
        for (std::size_t first = 0; first < rows; first += block)
            for (std::size_t p = 0; p < whole; ++p)
                for (std::size_t k = first; k < std::min(rows, first + block); ++k)
                    simd<S>::store(simd<S>::load(from + k * row + p * lanes), panels + p * next + k * lanes);
    else
        for (std::size_t p = 0; p < whole; ++p) {
            for (std::size_t k = 0; k < blocks; k += lanes)
                simd<S>::transpose(from + k + p * lanes * column, column, panels + p * next + k * lanes);
            for (std::size_t k = blocks; k < rows; ++k)
                fill(p, k, lanes);
        }
    for (std::size_t k = 0; k < rows && columns % lanes > 0; ++k)
        fill(whole, k, columns % lanes);
}

/// Room for panels. Behind them there are as many zeros as tiles ask for ahead: where memory was never written to, each
/// request would look for it through all tables of pages, which takes several times as long as a short product.
template <class S>
aligned_numbers<S> with_end(std::size_t count) {
    constexpr std::size_t ahead = tiles<S>::ahead / sizeof(S);
    aligned_numbers<S> all(count + ahead);
    std::fill_n(all.data() + count, ahead, S(0));
    return all;
}

/// The same columns of some parts of a matrix, and of a product with it: each begins so far behind the one before.
struct column_parts {
    std::size_t count = 1, next = 0;
};

/// `Lanes` is part of its type, so that files that were compiled for different instruction sets do not link, rather than read
/// each other's panels.
template <class S, std::size_t Lanes = widest<S>>
class packed_matrix {
public:
    packed_matrix() = default;
    /// Of the [groups, rows, columns] of a matrix, of which the parts are some columns each, or of their transposes.
    packed_matrix(matrix_extents const& e, std::span<matrix_columns<S> const> parts, bool transposed);

    /// The columns of each of the matrices that lie in it side by side, as those of gates do; 0 where they differ.
    std::size_t part_columns() const { return part_columns_; }
    /// Numbers from one panel to the next.
    std::size_t next() const { return next_; }
    /// The same of a matrix of so many rows. Panels that are longer than a page are not whole pages apart: of those that are
    /// read side by side, one comes to the end of its page at a time, where the machine stops to read ahead.
    static constexpr std::size_t next(std::size_t rows) {
        return rows * lanes + (rows * lanes * sizeof(S) > 4096 ? 3 * 64 / sizeof(S) : 0);
    }
    S const* panel(std::size_t group, std::size_t p) const {
        return shared_->panels.data() + (group * per_group_ + p) * next_;
    }
    /// Whether the panels from there on are to be visited from the last to the first: at every second call, so that
    /// those that were used last, which the caches still have, are the first.
    bool turn(std::size_t group, std::size_t p) const {
        auto& last = shared_->directions[group * per_group_ + p].is_backward;
        bool const now = !last.load(std::memory_order_relaxed);
        last.store(now, std::memory_order_relaxed);
        return now;
    }

private:
    static constexpr std::size_t lanes = Lanes;
    struct alignas(64) direction { // threads that begin at different panels share no line of the cache
        std::atomic<bool> is_backward{false};
    };
    struct numbers {
        aligned_numbers<S> panels;
        std::vector<direction> directions;
        numbers(std::size_t count, std::size_t size) : panels(with_end<S>(count * size)), directions(count) {}
    };

    matrix_extents extents_{};
    std::size_t per_group_ = 0, next_ = 0, part_columns_ = 0;
    std::shared_ptr<numbers> shared_{}; ///< copies have the same
};

template <class S, std::size_t Lanes>
packed_matrix<S, Lanes>::packed_matrix(matrix_extents const& e, std::span<matrix_columns<S> const> parts,
                                       bool transposed)
    : extents_(transposed ? matrix_extents{e.groups, e.columns, e.rows} : e),
      per_group_((extents_.columns + lanes - 1) / lanes), next_(next(extents_.rows)),
      shared_(std::make_shared<numbers>(extents_.groups * per_group_, next_)) {
    if (!transposed && !parts.empty() &&
        std::ranges::all_of(parts, [&](auto const& p) { return p.columns == parts.front().columns; }))
        part_columns_ = parts.front().columns;
    for (std::size_t g = 0; g < extents_.groups; ++g) {
        S* const panels = shared_->panels.data() + g * per_group_ * next_;
        if (extents_.columns % lanes > 0)
            std::fill_n(panels + (per_group_ - 1) * next_, next_, S(0));
        std::size_t at = 0;
        for (auto const& [values, columns] : parts) {
            S const* const from = values + g * e.rows * columns;
            if (transposed)
                fill_panels(columns, e.rows, from, std::size_t(1), columns, panels + at * lanes, next_);
            else
                fill_panels(e.rows, columns, from, columns, std::size_t(1), panels + at / lanes * next_,
                            next_, at % lanes);
            at += columns;
        }
    }
}

} // namespace sluice::xtensor
