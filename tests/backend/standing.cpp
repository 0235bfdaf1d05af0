// SPDX-License-Identifier: BSL-1.0
// backend/standing.hpp: vectors in the columns and rows of a matrix, and sums over them.
#include <doctest/doctest.h>
#include <sluice/backend/standing.hpp>
#include <sluice/core/half.hpp>
#include <vector>

namespace standing_test {

namespace {

/// repeat(a) or fold(a), of so many numbers.
template <class S>
std::vector<S> stood(bool is_fold, sluice::standing const& how, std::vector<S> a, std::size_t count) {
    CHECK(a.size() == how.groups * (is_fold ? how.matrix() : how.vector()));
    REQUIRE(count == how.groups * (is_fold ? how.vector() : how.matrix()));
    std::vector<S> y(count, S(-1.0f));
    sluice::stand<S>(is_fold, how, 0, how.groups, {.data = a.data(), .width = a.size()},
                     {.data = y.data(), .width = y.size()});
    return y;
}
template <class S>
std::vector<S> repeated(sluice::standing const& how, std::vector<S> const& a, std::size_t count) {
    return stood(false, how, a, count);
}
template <class S>
std::vector<S> folded(sluice::standing const& how, std::vector<S> const& a, std::size_t count) {
    return stood(true, how, a, count);
}

} // namespace

TEST_CASE("standing: a vector in the columns, and in the rows, of each group") {
    sluice::standing const columns{.in_columns = true, .groups = 2, .rows = 2, .columns = 3};
    CHECK(repeated<float>(columns, {1, 2, 3, 4}, 12) ==
          std::vector<float>{1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4});
    sluice::standing const rows{.in_columns = false, .groups = 2, .rows = 2, .columns = 3};
    CHECK(repeated<float>(rows, {1, 2, 3, 4, 5, 6}, 12) ==
          std::vector<float>{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6});
}

TEST_CASE("standing: sums over columns and over rows, of sizes around those that are summed together") {
    for (std::size_t const width : {0u, 1u, 7u, 63u, 64u, 65u, 129u, 200u}) {
        CAPTURE(width);
        for (bool const in_columns : {true, false}) {
            sluice::standing const how{.in_columns = in_columns, .groups = 3, .rows = 5, .columns = width};
            std::vector<double> matrix(15 * width);
            for (std::size_t k = 0; k < matrix.size(); ++k)
                matrix[k] = static_cast<double>(k * k % 31) - 9;
            std::vector<double> expected(in_columns ? 15 : 3 * width, 0);
            for (std::size_t g = 0; g < 3; ++g)
                for (std::size_t i = 0; i < 5; ++i)
                    for (std::size_t j = 0; j < width; ++j)
                        expected[in_columns ? 5 * g + i : g * width + j] += matrix[(5 * g + i) * width + j];
            CHECK(folded<double>(how, matrix, expected.size()) == expected); // whole numbers: exact
        }
    }
}

TEST_CASE("standing: no rows and no groups are sums of nothing") {
    CHECK(folded<float>({.in_columns = false, .groups = 2, .rows = 0, .columns = 3}, {}, 6) ==
          std::vector<float>(6, 0));
    CHECK(folded<float>({.in_columns = true, .groups = 0, .rows = 2, .columns = 3}, {}, 0).empty());
    CHECK(repeated<float>({.in_columns = true, .groups = 1, .rows = 0, .columns = 3}, {}, 0).empty());
}

TEST_CASE("standing: narrow numbers are summed in their arithmetic, and rounded once") {
    std::size_t const many = 4096; // a sum of halves would stay at 2048
    std::vector<sluice::half> const ones(many, sluice::half(1.0f));
    for (bool const in_columns : {true, false}) {
        sluice::standing const how{.in_columns = in_columns,
                                   .groups = 1,
                                   .rows = in_columns ? 1 : many,
                                   .columns = in_columns ? many : 1};
        CHECK(static_cast<float>(folded<sluice::half>(how, ones, 1)[0]) == 4096);
    }
}

TEST_CASE("standing: of some groups of some rows, wherever their numbers lie") {
    // Two rows of a vector [2 groups, 3], which lie in pieces, and their matrices [2, 2, 3] in rows of 13.
    sluice::standing const how{.in_columns = false, .groups = 2, .rows = 2, .columns = 3};
    std::vector<float> vectors{1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 10, 11, 12, 0};
    sluice::block_frame<float>::operand const from{.data = vectors.data(), .row = 8, .width = 3, .group = 4};
    std::vector<float> matrices(26, -1);
    sluice::block_frame<float>::operand const to{.data = matrices.data(), .row = 13, .width = 12};
    sluice::stand<float>(false, how, 1, 2, from, to); // group 1 of row 0, group 0 of row 1
    std::vector<float> expected(26, -1);
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            expected[6 + 3 * i + j] = static_cast<float>(4 + j);
            expected[13 + 3 * i + j] = static_cast<float>(7 + j);
        }
    CHECK(matrices == expected);

    sluice::stand<float>(false, how, 0, 4, from, to);
    std::vector<float> sums(16, -1);
    sluice::stand<float>(true, how, 0, 4, {.data = matrices.data(), .row = 13, .width = 12},
                         {.data = sums.data(), .row = 8, .width = 3, .group = 4});
    CHECK(sums == std::vector<float>{2, 4, 6, -1, 8, 10, 12, -1, 14, 16, 18, -1, 20, 22, 24, -1});
    sluice::stand<float>(false, how, 0, 0, from, to); // of none of them
}

} // namespace standing_test
