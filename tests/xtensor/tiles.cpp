// SPDX-License-Identifier: BSL-1.0
// Each tile of a product: that there is one of every size that is asked for, its sums, and that it writes to
// nothing else.
#include <sluice/xtensor/tiles.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace tiles_test {

namespace {

using namespace sluice::xtensor;
using size = std::size_t;

/// W[k, vectors * lanes] in panels, and A[rows, k], with a gap between its rows.
template <class S>
struct operands {
    static constexpr size lanes = simd<S>::lanes, gap = 3;
    size rows, columns, k;
    std::vector<S> a, w;
    packed_matrix<S> packed;

    operands(size m, size vectors, size terms, std::mt19937& from, bool whole)
        : rows(m), columns(vectors * lanes), k(terms), a(m * (terms + gap)), w(terms * columns) {
        for (auto* const numbers : {&a, &w})
            for (S& number : *numbers)
                number = whole ? S(from() % 201) - S(100) : std::uniform_real_distribution<S>(-1, 1)(from);
        sluice::matrix_columns<S> const all{w.data(), columns};
        packed = {{1, k, columns}, {&all, 1}, false};
    }
    S factor(size r, size i) const { return a[r * (k + gap) + i]; }
    /// C[rows, vectors] by a tile, from a vector of W on, into the columns from 1 on of rows that have a gap.
    void run(tile_function<S> tile, size first, size first_k, S* c, size ldc, bool add) const {
        tile(k - first_k, tile_rows<S>{a.data(), k + gap, 1}.from(0, first_k),
             tiles<S>::source_of(packed, 0, 0).from(first, first_k), c, ldc, add);
    }
};

/// Sums of whole numbers, which are exact in any order.
template <class S>
bool is_exact(tile_function<S> tile, size rows, size vectors, size before, size k, bool add,
              std::mt19937& from) {
    constexpr size lanes = simd<S>::lanes;
    operands<S> const of(rows, before + vectors, k, from, true);
    size const columns = vectors * lanes, ldc = columns + 2;
    std::vector<S> c(rows * ldc + 1);
    for (size i = 0; i < c.size(); ++i)
        c[i] = S(i);
    of.run(tile, before, 0, c.data() + 1, ldc, add);
    for (size i = 0; i < c.size(); ++i) {
        size const r = (i - 1) / ldc, column = (i - 1) % ldc;
        S expected = S(i);
        if (i > 0 && column < columns) {
            expected = add ? S(i) : S(0);
            for (size j = 0; j < k; ++j)
                expected += of.factor(r, j) * of.w[j * of.columns + before * lanes + column];
        }
        if (c[i] != expected)
            return false;
    }
    return true;
}

/// Products of more than `most_rows` rows are divided into tiles of about the same height: of so many, and of
/// one less.
template <class S>
constexpr bool has_all_tiles() {
    using all = tiles<S>;
    for (size rows = 1; rows <= all::most_rows; ++rows)
        for (size left = 1; left < 100; ++left) {
            size const width = all::width(rows, left);
            if (width == 0 || width > left || width > all::most_vectors || width * rows > all::most_sums)
                return false;
            if (!simd<S>::multiplies_memory && width * rows + width + 2 > simd<S>::registers)
                return false;
        }
    return true;
}
static_assert(has_all_tiles<float>() && has_all_tiles<double>());
static_assert(tiles<float>::width(1, 7) == 7, "one row takes all that is left");
static_assert(tiles<float>::width(tiles<float>::most_rows, 4) == 2, "two and two, not three and one");
static_assert(tiles<float>::width(2, 5) == (tiles<float>::most_sums / 2 <= 5 ? 5 : 4));

} // namespace

TEST_CASE_TEMPLATE("tiles: there is one of every size that a product asks for", S, float, double) {
    using all = tiles<S>;
    for (size left = 1; left <= 24; ++left)
        for (size rows = 1; rows <= all::most_rows; ++rows)
            CHECK((all::of(rows, all::width(rows, left)) != nullptr));
    for (size m = all::most_rows + 1; m < 100; ++m) {
        size const count = (m + all::most_rows - 1) / all::most_rows, high = (m + count - 1) / count;
        for (size left = 1; left <= 24; ++left) {
            CHECK((all::of(m / count, all::width(high, left)) != nullptr));
            CHECK((all::of(high, all::width(high, left)) != nullptr));
        }
    }
}

TEST_CASE_TEMPLATE("tiles: each computes its own sums, and writes to nothing else", S, float, double) {
    using all = tiles<S>;
    std::mt19937 from(3);
    for (size rows = 1; rows <= all::most_rows; ++rows)
        for (size vectors = 1; vectors <= all::most_vectors; ++vectors)
            if (auto const tile = all::of(rows, vectors))
                for (size const before : {size(0), size(1), size(2)}) // in its panel, and in the next
                    for (bool const add : {false, true}) {
                        CAPTURE(rows);
                        CAPTURE(vectors);
                        CAPTURE(before);
                        CAPTURE(add);
                        CHECK(is_exact<S>(tile, rows, vectors, before, 1 + from() % 9, add, from));
                    }
    for (size vectors = 1; vectors <= all::most_of_row; ++vectors)
        for (size const before : {size(0), size(2)})
            for (bool const add : {false, true}) {
                CAPTURE(vectors);
                CHECK(is_exact<S>(all::of_row(vectors), 1, vectors, before, 1 + from() % 9, add, from));
            }
    CHECK(is_exact<S>(all::of(2, 1), 2, 1, 0, 0, true, from)); // no sums
    CHECK(is_exact<S>(all::of_row(3), 1, 3, 0, 0, false, from));
}

TEST_CASE_TEMPLATE("tiles: each number is summed in the order of k, to the bit, in whatever tile", S, float,
                   double) {
    using all = tiles<S>;
    constexpr size lanes = simd<S>::lanes, k = 23;
    std::mt19937 from(4);
    operands<S> const of(all::most_rows, all::most_of_row, k, from, false);
    std::vector<S> expected(of.rows * of.columns);
    for (size r = 0; r < of.rows; ++r)
        for (size c = 0; c < of.columns; ++c)
            for (size i = 0; i < k; ++i) {
                S& sum = expected[r * of.columns + c];
#if defined(__FMA__) || defined(__aarch64__)
                sum = std::fma(of.factor(r, i), of.w[i * of.columns + c], sum);
#else
                S volatile const term = of.factor(r, i) * of.w[i * of.columns + c];
                sum += term;
#endif
            }
    auto const as_expected = [&](tile_function<S> tile, size rows, size vectors, size first) {
        std::vector<S> c(rows * vectors * lanes), halves(c.size());
        of.run(tile, first, 0, c.data(), vectors * lanes, false);
        // The first sums, and then those after them, added to the first.
        tile(9, tile_rows<S>{of.a.data(), k + of.gap, 1}, tiles<S>::source_of(of.packed, 0, 0).from(first, 0),
             halves.data(), vectors * lanes, false);
        of.run(tile, first, 9, halves.data(), vectors * lanes, true);
        for (size i = 0; i < c.size(); ++i)
            if (S const sum =
                    expected[i / (vectors * lanes) * of.columns + first * lanes + i % (vectors * lanes)];
                c[i] != sum || halves[i] != sum)
                return false;
        return true;
    };
    for (size rows = 1; rows <= all::most_rows; ++rows)
        for (size vectors = 1; vectors <= all::most_vectors; ++vectors)
            if (auto const tile = all::of(rows, vectors))
                for (size first = 0; first + vectors <= all::most_of_row; ++first)
                    CHECK(as_expected(tile, rows, vectors, first));
    for (size vectors = 1; vectors <= all::most_of_row; ++vectors)
        for (size first = 0; first + vectors <= all::most_of_row; first += 2)
            CHECK(as_expected(all::of_row(vectors), 1, vectors, first));
}

TEST_CASE_TEMPLATE(
    "tiles: the numbers of A may be at any distance: a transpose, and rows that are all the same", S, float,
    double) {
    constexpr size lanes = simd<S>::lanes;
    std::mt19937 from(5);
    operands<S> const of(3, 2, 5, from, true);
    std::vector<S> transposed(5 * 3), c(3 * 2 * lanes);
    for (size r = 0; r < 3; ++r)
        for (size i = 0; i < 5; ++i)
            transposed[i * 3 + r] = of.factor(r, i);
    auto const source = tiles<S>::source_of(of.packed, 0, 0);
    auto const vectors = source.from(0, 0);
    auto const check = [&](auto const& factor) {
        for (size i = 0; i < c.size(); ++i) {
            S sum = 0;
            for (size j = 0; j < 5; ++j)
                sum += factor(i / (2 * lanes), j) * of.w[j * of.columns + i % (2 * lanes)];
            CHECK(c[i] == sum);
        }
    };
    tiles<S>::of(3, 2)(5, {transposed.data(), 1, 3}, vectors, c.data(), 2 * lanes, false);
    check([&](size r, size j) { return of.factor(r, j); });
    tiles<S>::of(3, 2)(5, {transposed.data(), 0, 3}, vectors, c.data(), 2 * lanes, false);
    check([&](size, size j) { return of.factor(0, j); });
}

} // namespace tiles_test
