// SPDX-License-Identifier: BSL-1.0
// Products of one row, of constant extents: sums in the order of k, from the first or from the last columns
// on, of a part of W, into exactly N numbers.
#include <sluice/xtensor/row_tile.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <support/random_numbers.hpp>
#include <vector>

namespace row_tile_test {

namespace {

using sluice::xtensor::packed_matrix, sluice::xtensor::row_tile, sluice::xtensor::simd;
using size = std::size_t;

/// c + a b, rounded as batches round it.
template <class S>
S multiply_add(S a, S b, S c) {
#if defined(__FMA__) || defined(__aarch64__)
    return std::fma(a, b, c);
#else
    S volatile const term = a * b;
    return term + c;
#endif
}

/// Columns [From * lanes, From * lanes + N) and rows [Row, Row + K) of a matrix that has more of both.
template <class S, size N, size K, size From, size Row>
void check(std::mt19937& from) {
    constexpr size lanes = simd<S>::lanes, first = From * lanes, columns = first + N + 2, rows = Row + K + 1;
    CAPTURE(N);
    CAPTURE(K);
    CAPTURE(From);
    auto const w = support::random_numbers<S>(rows * columns, from), a = support::random_numbers<S>(K, from),
               before = support::random_numbers<S>(N + 3, from);
    sluice::matrix_columns<S> const all{w.data(), columns};
    packed_matrix<S> const packed({1, rows, columns}, {&all, 1}, false);
    for (bool const add : {false, true}) {
        auto expected = before; // what is after the end stays
        for (size n = 0; n < N; ++n) {
            S sum = add ? before[n] : S(0);
            for (size k = 0; k < K; ++k)
                sum = multiply_add(a[k], w[(Row + k) * columns + first + n], sum);
            expected[n] = sum;
        }
        for (bool const last_first : {false, true}) {
            auto c = before;
            row_tile<S, N, K, From>::run(a.data(), packed.panels(0) + Row * packed.places().step,
                                         packed.places(), c.data(), add, last_first);
            CHECK(c == expected);
        }
    }
}

} // namespace

TEST_CASE_TEMPLATE("row tile: sums in the order of k, of all columns and of the last ones", S, float,
                   double) {
    std::mt19937 from(3);
    constexpr size lanes = simd<S>::lanes;
    check<S, 1, 1, 0, 0>(from);
    check<S, 3, 5, 0, 0>(from);
    check<S, lanes, 4, 0, 0>(from);
    check<S, lanes + 1, 7, 0, 0>(from);
    check<S, 6 * lanes - 1, 3, 0, 0>(from); // as many as one block has, and one more
    check<S, 6 * lanes, 3, 0, 0>(from);
    check<S, 6 * lanes + 1, 3, 0, 0>(from);
    check<S, 13 * lanes + 2, 31, 0, 0>(from);
}

TEST_CASE_TEMPLATE("row tile: of a part, which begins in the first or the second vector of a panel", S, float,
                   double) {
    std::mt19937 from(4);
    constexpr size lanes = simd<S>::lanes;
    check<S, 2 * lanes, 4, 1, 0>(from);
    check<S, 2 * lanes + 3, 4, 2, 1>(from);
    check<S, 7 * lanes + 1, 9, 1, 2>(from);
    check<S, 12 * lanes, 9, 3, 5>(from);
    check<S, 1, 17, 5, 1>(from);
}

TEST_CASE_TEMPLATE("row tile: no sums are zero, or what they are added to", S, float, double) {
    std::mt19937 from(5);
    check<S, 5, 0, 0, 0>(from);
    check<S, simd<S>::lanes * 8, 0, 1, 2>(from);
}

} // namespace row_tile_test
