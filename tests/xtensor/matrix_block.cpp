// SPDX-License-Identifier: BSL-1.0
// The kernel of a block of matrix values, against loops over single numbers: matrices of every width around
// that of batches and of tiles, vectors and matrices in pieces that lie apart, and no rows or columns at all.
#include <sluice/xtensor/matrix_block.hpp>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <sluice/execute/interpret.hpp>
#include <support/own_block.hpp>
#include <vector>

namespace matrix_block_test {

namespace {

using sluice::block_frame, sluice::lies, sluice::standing, sluice::xtensor::simd,
    sluice::xtensor::matrix_kernel;
using support::apply, support::apply_to_row, support::number;
using size = std::size_t;

/// Z = w a S + k u and R = -u are stored; sums over the columns of Z S and of Z and, by choice, over the rows
/// of q Z. Loads: S, a (columns), k (columns), u (rows), q (columns), w (one number of each row of the
/// batch).
template <bool OverRows>
struct update {
    using operations = sluice::built_in_operations;
    static constexpr auto plan = [] {
        auto made = support::make_block(
            {false, false, false, false, false, true},
            {apply(sluice::f_multiply, 0, 1, 5), apply(sluice::f_multiply, 0, 6, 0),
             apply(sluice::f_multiply, 0, 2, 3), apply(sluice::f_add, 0, 7, 8),
             apply(sluice::f_multiply, 0, 4, 9), apply(sluice::f_multiply, 0, 9, 0),
             apply(sluice::f_negate, 0, 3), number(3)},
            {{.from = 9}, {.from = 12}, {.from = OverRows ? 10 : 9}, {.from = 11}, {.from = 9}});
        made.loads.all[1].how = made.loads.all[2].how = made.loads.all[4].how = lies::in_columns;
        made.loads.all[3].how = lies::in_rows;
        made.stores.all[2].how = OverRows ? lies::in_rows : lies::in_columns;
        made.stores.all[3].how = made.stores.all[4].how = lies::in_columns;
        return made;
    }();
};

/// [rows, groups of `piece` columns], which lie so far apart; what is between them is NaN.
template <class S>
struct operand {
    size rows, columns, piece, apart, row;
    std::vector<S> numbers;

    operand(size m, size all, size side_by_side, size gap, size row_gap, std::mt19937* from = nullptr)
        : rows(m), columns(all), piece(std::max<size>(side_by_side, 1)), apart(piece + gap),
          row((all + piece - 1) / piece * apart + row_gap),
          numbers(m * row + 1, std::numeric_limits<S>::quiet_NaN()) {
        for (size r = 0; r < rows; ++r)
            for (size c = 0; c < columns && from != nullptr; ++c)
                at(r, c) = std::uniform_real_distribution<S>(S(0.5), S(2))(*from);
    }
    S& at(size r, size c) { return numbers[r * row + c / piece * apart + c % piece]; }
    double operator()(size r, size c) const {
        return static_cast<double>(const_cast<operand&>(*this).at(r, c));
    }
    typename block_frame<S>::operand of() {
        return {.data = numbers.data(), .row = row, .width = piece, .group = apart, .number = S(0)};
    }
    size count_of_nothing() const {
        return static_cast<size>(std::ranges::count_if(numbers, [](S z) { return std::isnan(z); }));
    }
};

template <class S>
bool is_near(double found, double expected, double scale) {
    return std::abs(found - expected) <=
           16 * static_cast<double>(std::numeric_limits<S>::epsilon()) * (scale + std::abs(expected));
}

/// By the kernel, or by the interpreter.
template <class S, bool OverRows>
void check_block(bool interprets, standing const& m, size batch, size piece, std::mt19937& from) {
    CAPTURE(OverRows);
    CAPTURE(m.groups);
    CAPTURE(m.rows);
    CAPTURE(m.columns);
    CAPTURE(piece);
    CAPTURE(batch);
    size const all = m.groups * m.matrix(), keys = m.groups * m.rows, values = m.groups * m.columns;
    size const over_rows_or_columns = OverRows ? values : keys; // how many sums y has
    operand<S> s(batch, all, m.matrix(), 2, 1, &from), a(batch, keys, 1, 1, 0, &from),
        k(batch, keys, keys, 0, 3, &from), u(batch, values, piece, 1, 2, &from),
        q(batch, keys, 3, 2, 0, &from), w(batch, 1, 1, 0, 4, &from);
    operand<S> z(batch, all, m.matrix(), 1, 5), r(batch, all, all, 0, 0),
        y(batch, over_rows_or_columns, OverRows ? piece : 2, 3, 0), zs(batch, keys, 1, 2, 1),
        sums(batch, keys, keys, 0, 0);
    std::vector<typename block_frame<S>::operand> const loads{s.of(), a.of(), k.of(), u.of(), q.of(), w.of()},
        stores{z.of(), r.of(), y.of(), zs.of(), sums.of()};
    std::vector<size> const before{z.count_of_nothing(), r.count_of_nothing(), y.count_of_nothing(),
                                   zs.count_of_nothing(), sums.count_of_nothing()};
    using program = sluice::block_program<update<OverRows>, 0>;
    std::array<size, program::codes> counts{};
    block_frame<S> const frame{.loads = loads.data(),
                               .stores = stores.data(),
                               .rows = batch,
                               .columns = all,
                               .piece = piece,
                               .counts = counts.data(),
                               .matrices = m};
    if (interprets)
        sluice::interpret_block<sluice::built_in_operations, S>(update<OverRows>::plan, 0, frame);
    else
        matrix_kernel<program, S>::run(frame);

    for (size b = 0; b < batch; ++b)
        for (size g = 0; g < m.groups; ++g) {
            std::vector<double> over_rows(m.columns);
            for (size i = 0; i < m.rows; ++i) {
                size const at = g * m.rows + i;
                double with_s = 0, of_z = 0;
                for (size j = 0; j < m.columns; ++j) {
                    size const c = at * m.columns + j;
                    double const u_j = u(b, g * m.columns + j);
                    double const expected = w(b, 0) * a(b, at) * s(b, c) + k(b, at) * u_j;
                    REQUIRE(is_near<S>(z(b, c), expected, 8));
                    REQUIRE(r(b, c) == -u_j);
                    over_rows[j] += q(b, at) * expected;
                    with_s += expected * s(b, c), of_z += expected;
                }
                REQUIRE(is_near<S>(zs(b, at), with_s, 8));
                REQUIRE(is_near<S>(sums(b, at), of_z, 8));
                if (!OverRows)
                    REQUIRE(is_near<S>(y(b, at), of_z, 8));
            }
            for (size j = 0; j < m.columns && OverRows; ++j)
                REQUIRE(is_near<S>(y(b, g * m.columns + j), over_rows[j], 8));
        }
    CHECK(z.count_of_nothing() + batch * all == before[0]); // nothing else is written
    CHECK(r.count_of_nothing() + batch * all == before[1]);
    CHECK(y.count_of_nothing() + batch * over_rows_or_columns == before[2]);
    CHECK(zs.count_of_nothing() + batch * keys == before[3]);
    CHECK(sums.count_of_nothing() + batch * keys == before[4]);
}
/// Checks a block with sums over rows and columns, and one with sums over columns only, which folds once.
template <class S>
void check(bool interprets, standing const& m, size batch, size piece, std::mt19937& from) {
    check_block<S, true>(interprets, m, batch, piece, from);
    check_block<S, false>(interprets, m, batch, piece, from);
}

template <class S, bool OverRows>
void check_to_the_bit() {
    std::mt19937 from(6);
    constexpr size groups = 3, rows = 5, columns = 2 * simd<S>::lanes + 3, keys = groups * rows,
                   values = groups * columns, all = keys * columns;
    operand<S> s(2, all, all, 0, 0, &from), a(2, keys, keys, 0, 0, &from), u(2, values, values, 0, 0, &from),
        w(2, 1, 1, 0, 0, &from);
    std::vector<std::vector<S>> found;
    for (bool const at_once : {true, false}) {
        operand<S> z(2, all, all, 0, 0), r(2, all, all, 0, 0),
            y(2, OverRows ? values : keys, OverRows ? values : keys, 0, 0), zs(2, keys, keys, 0, 0),
            sums(2, keys, keys, 0, 0);
        std::vector<typename block_frame<S>::operand> const loads{s.of(), a.of(), a.of(),
                                                                  u.of(), a.of(), w.of()},
            stores{z.of(), r.of(), y.of(), zs.of(), sums.of()};
        using kernel = matrix_kernel<sluice::block_program<update<OverRows>, 0>, S>;
        std::array<size, 9> counts{};
        block_frame<S> const frame{.loads = loads.data(),
                                   .stores = stores.data(),
                                   .rows = 2,
                                   .columns = all,
                                   .piece = columns,
                                   .counts = counts.data(),
                                   .matrices = {.groups = groups, .rows = rows, .columns = columns}};
        if (at_once)
            kernel::run(frame);
        for (size k = 2 * groups; k-- > 0 && !at_once;)
            kernel::run(frame, k, 1);
        for (auto const* of : {&z, &y, &zs, &sums})
            found.emplace_back(of->numbers.begin(), of->numbers.end() - 1);
    }
    for (size k = 0; k < 4; ++k)
        CHECK(found[k] == found[k + 4]);
}

} // namespace

TEST_CASE_TEMPLATE("matrix_block: an update, its sums over rows and over columns", S, float, double) {
    std::mt19937 from(3);
    constexpr size lanes = simd<S>::lanes;
    for (size const rows : {size(1), size(5), lanes, 2 * lanes + 3})
        for (size const columns : {size(1), size(7), lanes - 1, lanes, lanes + 1, 4 * lanes, 4 * lanes + 1,
                                   8 * lanes, 9 * lanes + 3})
            if (columns > 0)
                check<S>(false, {.groups = 1 + from() % 3, .rows = rows, .columns = columns}, 1 + from() % 3,
                         columns, from);
}

TEST_CASE_TEMPLATE("matrix_block: the interpreter computes the same", S, float, double) {
    std::mt19937 from(7);
    for (size const piece : {size(1), size(5)})
        check<S>(true, {.groups = 3, .rows = 5, .columns = 3 * piece}, 2, piece, from);
    check<S>(true, {.groups = 3, .rows = 0, .columns = 7}, 2, 7, from);
    check<S>(true, {.groups = 3, .rows = 5, .columns = 0}, 2, 1, from);
}

TEST_CASE_TEMPLATE("matrix_block: operands in pieces of a row", S, float, double) {
    std::mt19937 from(4);
    for (size const piece : {size(1), size(3), simd<S>::lanes, simd<S>::lanes + 2})
        check<S>(false, {.groups = 3, .rows = 5, .columns = 3 * piece}, 2, piece, from);
}

TEST_CASE_TEMPLATE("matrix_block: sums over no rows, and over no columns, are 0", S, float, double) {
    std::mt19937 from(5);
    check<S>(false, {.groups = 3, .rows = 0, .columns = 7}, 2, 7, from);
    check<S>(false, {.groups = 3, .rows = 5, .columns = 0}, 2, 1, from);
    check<S>(false, {.groups = 0, .rows = 5, .columns = 7}, 2, 7, from);
    check<S>(false, {.groups = 3, .rows = 5, .columns = 7}, 0, 7, from);
}

TEST_CASE_TEMPLATE("matrix_block: matrices by themselves are those of all to the bit", S, float, double) {
    check_to_the_bit<S, true>();
    check_to_the_bit<S, false>();
}

} // namespace matrix_block_test
