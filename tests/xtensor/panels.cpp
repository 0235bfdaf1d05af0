// SPDX-License-Identifier: BSL-1.0
// Where a packed matrix has its numbers: each at the place that the head of the header gives, and zeros
// after the columns.
#include <sluice/xtensor/panels.hpp>

#include <array>
#include <doctest/doctest.h>
#include <initializer_list>
#include <vector>

namespace panels_test {

namespace {

using sluice::matrix_columns, sluice::matrix_extents;
using sluice::xtensor::packed_matrix, sluice::xtensor::panel_places, sluice::xtensor::simd;
using size = std::size_t;
using counts = std::initializer_list<size>;

/// A number for each element, of which no two are the same.
template <class S>
S number_of(size group, size row, size column) {
    return S(1 + column + 1000 * (row + 100 * group));
}

/// [groups, rows, columns] from a column on.
template <class S>
std::vector<S> matrix(matrix_extents const& e, size first = 0) {
    std::vector<S> all;
    for (size g = 0; g < e.groups; ++g)
        for (size r = 0; r < e.rows; ++r)
            for (size c = 0; c < e.columns; ++c)
                all.push_back(number_of<S>(g, r, first + c));
    return all;
}

/// panel[p][k][v][lane] = W[k, (p * 2 + v) * lanes + lane], zero after the last column.
template <class S>
bool is_packed(packed_matrix<S> const& w, matrix_extents const& e, bool transposed) {
    constexpr size lanes = simd<S>::lanes;
    size const vectors = (e.columns + lanes - 1) / lanes, of_panel = vectors == 1 ? 1 : 2;
    bool as_expected = true;
    for (size g = 0; g < e.groups; ++g)
        for (size p = 0; p * of_panel < vectors; ++p)
            for (size k = 0; k < e.rows; ++k)
                for (size v = 0; v < of_panel && p * of_panel + v < vectors; ++v)
                    for (size lane = 0; lane < lanes; ++lane) {
                        size const column = (p * of_panel + v) * lanes + lane;
                        S const expected = column >= e.columns ? S(0)
                                           : transposed        ? number_of<S>(g, column, k)
                                                               : number_of<S>(g, k, column);
                        S const found = w.panels(g)[((p * e.rows + k) * of_panel + v) * lanes + lane];
                        as_expected = as_expected && found == expected;
                    }
    return as_expected;
}

} // namespace

// Rows of 37 columns, in batches of 8: five vectors, two in a panel.
static_assert(panel_places<8>::vectors_of(37) == 5 && panel_places<8>::panels_of(37) == 3);
static_assert(panel_places<8>::of(10, 37).step == 16 && panel_places<8>::of(10, 37).next == 160);
static_assert(panel_places<8>::of(10, 37)(0) == 0 && panel_places<8>::of(10, 37)(1) == 8);
static_assert(panel_places<8>::of(10, 37)(2) == 160 && panel_places<8>::of(10, 37)(3) == 168);
// One vector is a panel as wide as itself; no columns are none.
static_assert(panel_places<8>::of(10, 8).step == 8 && panel_places<8>::of(10, 9).step == 16);
static_assert(panel_places<8>::vectors_of(0) == 0 && panel_places<8>::panels_of(0) == 0);
static_assert(panel_places<8>::panels_of(size(1) << 32) == size(1) << 28);
static_assert(panel_places<4>::of(size(1) << 31, 8)(2) == size(1) << 34, "more than 2^32 numbers");

TEST_CASE_TEMPLATE("panels: each number of a matrix, of its groups and of its transpose is in its place", S,
                   float, double) {
    constexpr size lanes = simd<S>::lanes;
    for (size const columns : counts{1, lanes - 1, lanes, lanes + 1, 2 * lanes, 2 * lanes + 3, 5 * lanes - 1})
        for (size const rows : counts{1, 3, lanes, 17, 2 * lanes + 5})
            for (size const groups : counts{1, 3}) {
                CAPTURE(columns);
                CAPTURE(rows);
                CAPTURE(groups);
                matrix_extents const e{groups, rows, columns}, back{groups, columns, rows};
                auto const values = matrix<S>(e), transpose = matrix<S>(back);
                matrix_columns<S> const all{values.data(), columns}, other{transpose.data(), rows};
                CHECK(is_packed<S>({e, {&all, 1}, false}, e, false));
                CHECK(is_packed<S>({back, {&other, 1}, true}, e, true));
            }
}

TEST_CASE_TEMPLATE("panels: matrices side by side are packed as the whole", S, float, double) {
    constexpr size lanes = simd<S>::lanes;
    std::vector<std::vector<size>> const widths{
        {3, 5, 2}, {lanes, 1, 2 * lanes + 1}, {1, 1, 1, 1, 1}, {7, 7, 7}, {0, 4, lanes}};
    for (auto const& of : widths)
        for (bool const transposed : {false, true}) {
            CAPTURE(of);
            CAPTURE(transposed);
            size all_columns = 0;
            std::vector<std::vector<S>> values;
            for (size const columns : of) {
                values.push_back(matrix<S>({2, 9, columns}, all_columns));
                all_columns += columns;
            }
            std::vector<matrix_columns<S>> parts;
            for (size i = 0; i < of.size(); ++i)
                parts.push_back({values[i].data(), of[i]});
            matrix_extents const e{2, 9, all_columns};
            packed_matrix<S> const w(e, parts, transposed);
            bool const same = std::equal(of.begin() + 1, of.end(), of.begin());
            CHECK(w.part_columns() == (same && !transposed ? of[0] : 0));
            if (transposed) // its rows are those of the parts, one after the other
                CHECK(is_packed<S>(w, {2, all_columns, 9}, true));
            else
                CHECK(is_packed<S>(w, e, false));
        }
}

TEST_CASE_TEMPLATE("panels: columns that begin within a vector leave its other lanes as they are", S, float,
                   double) {
    constexpr size lanes = simd<S>::lanes;
    auto const places = panel_places<lanes>::of(5, 4 * lanes);
    for (size head = 0; head < lanes; ++head)
        for (size const columns : counts{1, lanes - 1, lanes + 2, 2 * lanes}) {
            std::vector<S> panels(places.panels_of(4 * lanes) * places.next, S(-1));
            auto const values = matrix<S>({1, 5, columns});
            sluice::xtensor::fill_panels(5, columns, values.data(), columns, size(1), panels.data(), places,
                                         1, head);
            bool as_expected = true;
            for (size k = 0; k < 5; ++k)
                for (size c = 0; c < 4 * lanes; ++c) {
                    S const found = panels[places(c / lanes) + k * places.step + c % lanes];
                    size const first = lanes + head;
                    as_expected =
                        as_expected &&
                        found == (c < first || c >= first + columns ? S(-1) : number_of<S>(0, k, c - first));
                }
            CHECK(as_expected);
        }
}

TEST_CASE_TEMPLATE("panels: a matrix that is packed again is that which is packed anew, in the same memory",
                   S, float, double) {
    constexpr size lanes = simd<S>::lanes;
    std::vector<S> const before(2 * 9 * (2 * lanes + 5), S(-7));
    for (bool const transposed : {false, true})
        for (size const first : {lanes + 2, lanes, size(0)}) {
            size const second = 2 * lanes + 5 - first;
            auto const left = matrix<S>({2, 9, first}), right = matrix<S>({2, 9, second}, first);
            std::array<matrix_columns<S>, 2> const parts{{{left.data(), first}, {right.data(), second}}};
            matrix_extents const e{2, 9, first + second};
            matrix_columns<S> const whole{before.data(), e.columns};
            packed_matrix<S> w(e, {&whole, 1}, transposed);
            auto const* const memory = w.panels(0);
            w.pack_again(parts, transposed);
            CHECK(w.panels(0) == memory);
            CHECK(w.part_columns() == 0);
            CHECK(is_packed<S>(w, transposed ? matrix_extents{2, e.columns, 9} : e, transposed));
            w.pack_again({&whole, 1}, transposed);
            CHECK(w.part_columns() == (transposed ? 0 : e.columns));
        }
}

TEST_CASE("panels: after them are zeros, as many as are asked for ahead") {
    auto const all = sluice::xtensor::with_end<float>(5);
    REQUIRE(all.size() == 5 + sluice::xtensor::asked_ahead / sizeof(float));
    for (size i = 5; i < all.size(); ++i)
        REQUIRE(all[i] == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(all.data()) % 64 == 0);
}

TEST_CASE("panels: copies have the same panels, and a matrix of nothing has no parts") {
    std::vector<float> const values(2 * 3 * 40, 1);
    matrix_columns<float> const all{values.data(), 40};
    packed_matrix<float> const w({2, 3, 40}, {&all, 1}, false);
    packed_matrix<float> const copy = w, none;
    CHECK(copy.panels(1) == w.panels(1));
    CHECK(none.part_columns() == 0);
}

} // namespace panels_test
