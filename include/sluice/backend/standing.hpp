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
#include <sluice/backend/block.hpp>

namespace sluice {

namespace detail {

// Of one group, where `a(k)` and `y(k)` are number k of each.

template <class A, class Y>
void repeat_group(standing const& how, A const& a, Y const& y) {
    for (std::size_t i = 0, to = 0; i < how.rows; ++i, to += how.columns)
        if (how.in_columns) {
            auto const number = a(i); // loaded once: y might alias it
            for (std::size_t j = 0; j < how.columns; ++j)
                y(to + j) = number;
        } else
            for (std::size_t j = 0; j < how.columns; ++j)
                y(to + j) = a(j);
}

inline constexpr std::size_t sums_together = 64; ///< in the arithmetic of S

template <class S, class A, class Y>
void fold_rows(standing const& how, A const& a, Y const& y) {
    for (std::size_t first = 0; first < how.columns; first += sums_together) {
        std::size_t const count = std::min(sums_together, how.columns - first);
        std::array<arithmetic_of<S>, sums_together> sums{};
        for (std::size_t i = 0; i < how.rows; ++i)
            for (std::size_t j = 0; j < count; ++j)
                sums[j] += widened(a(i * how.columns + first + j));
        for (std::size_t j = 0; j < count; ++j)
            y(first + j) = rounded<S>(sums[j]);
    }
}
template <class S, class A, class Y>
void fold_columns(standing const& how, A const& a, Y const& y) {
    for (std::size_t i = 0; i < how.rows; ++i) {
        std::array<arithmetic_of<S>, sums_together> sums{};
        std::size_t j = 0;
        for (; j + sums_together <= how.columns; j += sums_together)
            for (std::size_t k = 0; k < sums_together; ++k)
                sums[k] += widened(a(i * how.columns + j + k));
        for (std::size_t k = 0; j + k < how.columns; ++k)
            sums[k] += widened(a(i * how.columns + j + k));
        for (std::size_t half = sums_together / 2; half > 0; half /= 2)
            for (std::size_t k = 0; k < half; ++k)
                sums[k] += sums[k + half];
        y(i) = rounded<S>(sums[0]);
    }
}

} // namespace detail

/// repeat or fold of some groups of the rows of the batch, from number `first` on: group g of row r is number
/// r * groups + g.
template <class S>
void stand(bool is_fold, standing const& how, std::size_t first, std::size_t count,
           typename block_frame<S>::operand const& a, typename block_frame<S>::operand const& c) {
    auto const run = [&](auto const& from, auto const& to) {
        if (!is_fold)
            detail::repeat_group(how, from, to);
        else if (how.in_columns)
            detail::fold_columns<S>(how, from, to);
        else
            detail::fold_rows<S>(how, from, to);
    };
    std::size_t const in_a = is_fold ? how.matrix() : how.vector(),
                      in_c = is_fold ? how.vector() : how.matrix();
    if (count == 0)
        return; // also of no groups, by which nothing can be divided
    std::size_t r = first / how.groups, g = first % how.groups;
    for (std::size_t done = 0; done < count; ++done) {
        if ((g + 1) * in_a <= a.width && (g + 1) * in_c <= c.width) { // side by side
            S const* const from = a.data + r * a.row + g * in_a;
            S* const to = c.data + r * c.row + g * in_c;
            run([from](std::size_t k) { return from[k]; }, [to](std::size_t k) -> S& { return to[k]; });
        } else
            run([&](std::size_t k) { return *a.at(r, g * in_a + k); },
                [&](std::size_t k) -> S& { return *c.at(r, g * in_c + k); });
        if (++g == how.groups)
            ++r, g = 0;
    }
}

} // namespace sluice
