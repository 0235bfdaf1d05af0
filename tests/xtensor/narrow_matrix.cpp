// SPDX-License-Identifier: BSL-1.0
// Narrow matrices: each weight is what its type rounds it to, wherever it lies; zeros, NaNs and infinities.
#include <sluice/xtensor/narrow/narrow_matrix.hpp>

#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace narrow_matrix_test {

using sluice::bfloat16;
using sluice::int8;
using sluice::matrix_extents;
using namespace sluice::xtensor;
using size = std::size_t;

namespace {

constexpr size lanes = simd<float>::lanes;

/// Weight (k, column) of a group, as it is kept.
float kept(narrow_matrix<bfloat16> const& w, size group, size k, size column) {
    auto const at = w.places()(column / lanes) + column % lanes + k / 2 * w.places().step;
    return std::bit_cast<float>(k % 2 == 0 ? w.panels(group)[at] << 16 : w.panels(group)[at] & 0xffff0000u);
}
float kept(narrow_matrix<int8> const& w, size group, size k, size column) {
    auto const at = w.places()(column / lanes) + column % lanes + k / 4 * w.places().step;
    int const number = static_cast<int>(w.panels(group)[at] >> (8 * (k % 4)) & 0xffu) - 128;
    return static_cast<float>(number) * w.scales(group)[column];
}
float rounded_to(bfloat16, float w, float) {
    return static_cast<float>(bfloat16(w));
}
float rounded_to(int8, float w, float scale) {
    return sluice::int8_value(sluice::int8_of(w, scale), scale);
}
bool are_same(float a, float b) {
    return a == b || (a != a && b != b);
}

packed_matrix<float> packed(matrix_extents const& e, std::vector<float> const& values, bool transposed) {
    sluice::matrix_columns<float> const all{values.data(), e.columns};
    return {e, std::span(&all, 1), transposed};
}

template <class W>
bool is_rounded(matrix_extents const& e, std::vector<float> const& values, bool transposed) {
    narrow_matrix<W> const w(packed(e, values, transposed));
    size const height = transposed ? e.columns : e.rows, width = transposed ? e.rows : e.columns;
    for (size g = 0; g < e.groups; ++g)
        for (size column = 0; column < width; ++column) {
            std::vector<float> numbers;
            for (size k = 0; k < height; ++k)
                numbers.push_back(values[g * e.rows * e.columns +
                                         (transposed ? column * e.columns + k : k * e.columns + column)]);
            float const scale = sluice::int8_scale(numbers.data(), height);
            for (size k = 0; k < height; ++k)
                if (!are_same(kept(w, g, k, column), rounded_to(W{}, numbers[k], scale)))
                    return false;
        }
    return true;
}

} // namespace

TEST_CASE_TEMPLATE("narrow_matrix: each weight is rounded as its type says, in groups and transposes too", W,
                   bfloat16, int8) {
    std::mt19937 from(7);
    std::normal_distribution<float> number(0, 1);
    for (size const rows : {0u, 1u, 2u, 3u, 4u, 5u, 8u, 13u})
        for (size const columns : {0u, 1u, 3u, 15u, 16u, 17u, 33u, 70u})
            for (size const groups : {1u, 3u})
                for (bool const transposed : {false, true}) {
                    matrix_extents const e{groups, rows, columns};
                    std::vector<float> values(e.count());
                    for (float& one : values)
                        one = number(from);
                    CAPTURE(rows);
                    CAPTURE(columns);
                    CHECK(is_rounded<W>(e, values, transposed));
                }
}

TEST_CASE_TEMPLATE("narrow_matrix: columns of zeros, of NaN, of infinities, of the largest and the smallest",
                   W, bfloat16, int8) {
    float const nan = std::numeric_limits<float>::quiet_NaN(),
                infinity = std::numeric_limits<float>::infinity(),
                largest = std::numeric_limits<float>::max(),
                smallest = std::numeric_limits<float>::denorm_min();
    std::vector<float> const rows{0, 1, nan, infinity, -infinity, largest, smallest, 0x1p-126f,
                                  0, 2, 1,   1,        nan,       -1,      0,        1};
    CHECK(is_rounded<W>({1, 2, 8}, rows, false));
    narrow_matrix<W> const w(packed({1, 2, 8}, rows, false));
    CHECK(kept(w, 0, 0, 0) == 0);
    CHECK(kept(w, 0, 1, 0) == 0);
    CHECK(kept(w, 0, 0, 2) != kept(w, 0, 0, 2));
    if constexpr (std::is_same_v<W, int8>) // all of the column
        for (size const column : {2u, 3u, 4u})
            for (size k = 0; k < 2; ++k)
                CHECK(kept(w, 0, k, column) != kept(w, 0, k, column));
    else {
        CHECK(kept(w, 0, 0, 3) == infinity);
        CHECK(kept(w, 0, 1, 3) == 1);
        CHECK(kept(w, 0, 0, 5) == infinity); // half of the way to 2^128, and more
    }
}

TEST_CASE("narrow_matrix: it takes a half, or a quarter and its scales, of what floats take") {
    std::vector<float> const values(250 * 64, 1.f);
    matrix_extents const e{1, 250, 64};
    CHECK(narrow_matrix<bfloat16>(packed(e, values, false)).bytes() == 250 * 64 * 2);
    CHECK(narrow_matrix<int8>(packed(e, values, false)).bytes() == 252 * 64 + 4 * 64);
    CHECK(narrow_matrix<int8>().bytes() == 0);
}

} // namespace narrow_matrix_test
