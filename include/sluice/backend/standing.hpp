// SPDX-License-Identifier: BSL-1.0
// Vectors in the columns or rows of a matrix value, and sums over them, of one row of the batch. A matrix
// lies as its rows, one after the other, those of a group before those of the next:
//
//   repeat, in columns   y[g, i, j] = a[g, i]       fold   y[g, i] = sum over j of a[g, i, j]
//   repeat, in rows      y[g, i, j] = a[g, j]       fold   y[g, j] = sum over i of a[g, i, j]
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <sluice/core/arithmetic.hpp>

namespace sluice {

/// A matrix value [groups, rows, columns], and how the vector stands in it: [groups, rows] in its columns,
/// [groups, columns] in its rows.
struct standing {
    bool in_columns = false;
    std::size_t groups = 1;
    std::size_t rows = 1;    ///< of a group
    std::size_t columns = 1; ///< of a group

    /// y = repeat(a), where `a(k)` and `y(k)` are number k of each.
    template <class A, class Y>
    void repeat(A const& a, Y const& y) const {
        for (std::size_t g = 0, to = 0; g < groups; ++g)
            for (std::size_t i = 0; i < rows; ++i, to += columns)
                for (std::size_t j = 0; j < columns; ++j)
                    y(to + j) = in_columns ? a(g * rows + i) : a(g * columns + j);
    }
    /// y = fold(a), summed in the arithmetic of S, in several sums at a time.
    template <class S, class A, class Y>
    void fold(A const& a, Y const& y) const {
        in_columns ? fold_columns<S>(a, y) : fold_rows<S>(a, y);
    }

private:
    static constexpr std::size_t together = 64;

    template <class S, class A, class Y>
    void fold_rows(A const& a, Y const& y) const {
        for (std::size_t g = 0; g < groups; ++g)
            for (std::size_t first = 0; first < columns; first += together) {
                std::size_t const count = std::min(together, columns - first);
                std::array<arithmetic_of<S>, together> sums{};
                for (std::size_t i = 0; i < rows; ++i)
                    for (std::size_t j = 0; j < count; ++j)
                        sums[j] += widened(a((g * rows + i) * columns + first + j));
                for (std::size_t j = 0; j < count; ++j)
                    y(g * columns + first + j) = rounded<S>(sums[j]);
            }
    }
    template <class S, class A, class Y>
    void fold_columns(A const& a, Y const& y) const {
        for (std::size_t i = 0; i < groups * rows; ++i) {
            std::array<arithmetic_of<S>, together> sums{};
            std::size_t j = 0;
            for (; j + together <= columns; j += together)
                for (std::size_t k = 0; k < together; ++k)
                    sums[k] += widened(a(i * columns + j + k));
            for (std::size_t k = 0; j + k < columns; ++k)
                sums[k] += widened(a(i * columns + j + k));
            for (std::size_t half = together / 2; half > 0; half /= 2)
                for (std::size_t k = 0; k < half; ++k)
                    sums[k] += sums[k + half];
            y(i) = rounded<S>(sums[0]);
        }
    }
};

/// Where the vector or the matrix of each row of the batch lies: as an operand of a block
/// (backend/block.hpp).
template <class T>
struct standing_place {
    T* data = nullptr;
    std::size_t row = 0;
    std::size_t width = 1;
    std::size_t group = 0;

    T& at(std::size_t r, std::size_t k) const {
        return data[r * row + (k < width ? k : k / width * group + k % width)];
    }
};

/// repeat or fold, of all groups of all rows of the batch the ones from `first` on: group g of row r is
/// number r * groups + g.
template <class S>
void stand(bool is_fold, standing const& how, std::size_t first, std::size_t count,
           standing_place<S const> const& a, standing_place<S> const& c) {
    standing one = how;
    one.groups = 1;
    std::size_t const matrix = how.rows * how.columns, vector = how.in_columns ? how.rows : how.columns;
    std::size_t const in_a = is_fold ? matrix : vector, in_c = is_fold ? vector : matrix;
    for (std::size_t number = first; number < first + count; ++number) {
        std::size_t const r = number / how.groups, g = number % how.groups;
        auto const run = [&](auto const& from, auto const& to) {
            is_fold ? one.template fold<S>(from, to) : one.repeat(from, to);
        };
        if ((g + 1) * in_a <= a.width && (g + 1) * in_c <= c.width) { // side by side
            S const* const from = a.data + r * a.row + g * in_a;
            S* const to = c.data + r * c.row + g * in_c;
            run([from](std::size_t k) { return from[k]; }, [to](std::size_t k) -> S& { return to[k]; });
        } else
            run([&](std::size_t k) { return a.at(r, g * in_a + k); },
                [&](std::size_t k) -> S& { return c.at(r, g * in_c + k); });
    }
}

} // namespace sluice
