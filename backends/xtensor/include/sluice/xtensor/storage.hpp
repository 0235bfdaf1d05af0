// SPDX-License-Identifier: BSL-1.0
// Numbers that are kept in fewer digits than they are computed in (core/arithmetic.hpp), on the default
// backend: sluice::cell<page, sluice::bfloat16>, sluice::half, and scalars of a user's. A program that has
// such cells includes this beside <sluice/xtensor.hpp>; the others do not compile it.
//
// States, inputs, outputs, gradients, and all that a tape keeps are numbers of the scalar. The weights that
// products multiply with are packed in arithmetic, as the kernels of float read them:
//
//   product         for so many rows of A, and columns of C:  A and C are widened, multiplied, rounded to C
//   outer product   for a part of G:  rows of A and D are widened, some at a time, and added to a copy of G
//                   in arithmetic, which is rounded once
//   pointwise       loads widen and stores round (simd/stored.hpp)
//
// So each number is rounded once, where it is written, and the room of a thread does not grow with the rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <sluice/core/half.hpp>
#include <sluice/net/plan_lowering.hpp>
#include <sluice/xtensor/planned.hpp>
#include <sluice/xtensor/simd/widening.hpp>

namespace sluice::xtensor {
namespace detail {

/// The kernels are there.
template <class Kernels>
struct storage_kernels {};

/// Rooms of a thread, which keeps them.
template <class N>
struct storage_room {
    aligned_numbers<N> a, d, c;

    static storage_room& of_thread() {
        thread_local storage_room room;
        return room;
    }
    static N* of(aligned_numbers<N>& numbers, std::size_t count) {
        if (numbers.size() < count)
            numbers.resize(count);
        return numbers.data();
    }
};

template <class S>
void widen_rows(std::size_t rows, std::size_t columns, S const* from, std::size_t apart,
                arithmetic_of<S>* to) {
    for (std::size_t r = 0; r < rows; ++r)
        widen_n(from + r * apart, columns, to + r * columns);
}
template <class S>
void round_rows(std::size_t rows, std::size_t columns, arithmetic_of<S> const* from, S* to,
                std::size_t apart) {
    for (std::size_t r = 0; r < rows; ++r)
        round_n(from + r * columns, columns, to + r * apart);
}

} // namespace detail

template <class S>
    requires(!is_own_arithmetic<S>)
void multiply_packed(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda,
                     packed_matrix<arithmetic_of<S>> const& w, matrix_part const& part, S* c, std::size_t ldc,
                     bool add, column_parts const& all) {
    using N = arithmetic_of<S>;
    using room = detail::storage_room<N>;
    if (m == 0 || n == 0)
        return;
    // As many rows as the second cache keeps beside columns of W; few rows have all columns at once.
    constexpr std::size_t kept = 128 * 1024, few = 8, some_columns = 512;
    std::size_t const most = std::clamp<std::size_t>(kept / std::max<std::size_t>(k, 1), 48, 1024),
                      width = m <= few ? n : std::min(n, some_columns);
    room& mine = room::of_thread();
    N* const wide_a = room::of(mine.a, std::min(m, most) * k);
    N* const wide_c = room::of(mine.c, std::min(m, most) * width);
    for (std::size_t row = 0, rows = 0; row < m; row += rows) {
        rows = std::min(most, m - row);
        detail::widen_rows(rows, k, a + row * lda, lda, wide_a);
        for (std::size_t i = 0; i < all.count; ++i)
            for (std::size_t column = 0, columns = 0; column < n; column += columns) {
                columns = std::min(width, n - column);
                std::size_t const at = i * all.next + column;
                S* const to = c + row * ldc + at;
                if (add)
                    detail::widen_rows(rows, columns, to, ldc, wide_c);
                multiply_packed(rows, columns, k, static_cast<N const*>(wide_a), k, w,
                                {part.group, part.row, part.column + at, part.backward}, wide_c, columns, add,
                                column_parts{});
                detail::round_rows(rows, columns, static_cast<N const*>(wide_c), to, ldc);
            }
    }
}

template <class S>
    requires(!is_own_arithmetic<S>)
void multiply_outer(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda, S const* d,
                    std::size_t ldd, S* g, std::size_t ldg, bool add) {
    using N = arithmetic_of<S>;
    using room = detail::storage_room<N>;
    constexpr std::size_t most = 512, most_k = 256;
    room& mine = room::of_thread();
    N* const wide_a = room::of(mine.a, std::min(k, most_k) * std::min(m, most));
    N* const wide_d = room::of(mine.d, std::min(k, most_k) * std::min(n, most));
    N* const wide_g = room::of(mine.c, std::min(m, most) * std::min(n, most));
    for (std::size_t row = 0; row < m; row += most)
        for (std::size_t column = 0; column < n; column += most) {
            std::size_t const rows = std::min(most, m - row), columns = std::min(most, n - column);
            S* const to = g + row * ldg + column;
            if (add)
                detail::widen_rows(rows, columns, to, ldg, wide_g);
            else
                std::fill_n(wide_g, rows * columns, N(0));
            for (std::size_t first = 0; first < k; first += most_k) {
                std::size_t const count = std::min(most_k, k - first);
                detail::widen_rows(count, rows, a + first * lda + row, lda, wide_a);
                detail::widen_rows(count, columns, d + first * ldd + column, ldd, wide_d);
                multiply_outer(rows, columns, count, static_cast<N const*>(wide_a), rows,
                               static_cast<N const*>(wide_d), columns, wide_g, columns, true);
            }
            detail::round_rows(rows, columns, static_cast<N const*>(wide_g), to, ldg);
        }
}

template <class S>
    requires(!is_own_arithmetic<S>)
void sum_rows(std::size_t m, std::size_t n, S const* a, std::size_t lda, S* sums, bool add) {
    using N = arithmetic_of<S>;
    constexpr std::size_t most = 256;
    std::array<N, most> total, next;
    for (std::size_t first = 0; first < n; first += most) {
        std::size_t const count = std::min(most, n - first);
        if (add)
            widen_n(sums + first, count, total.data());
        else
            std::fill_n(total.begin(), count, N(0));
        for (std::size_t r = 0; r < m; ++r) {
            widen_n(a + r * lda + first, count, next.data());
            for (std::size_t i = 0; i < count; ++i)
                total[i] += next[i];
        }
        round_n(total.data(), count, sums + first);
    }
}

} // namespace sluice::xtensor
