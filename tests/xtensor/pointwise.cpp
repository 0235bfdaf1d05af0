// SPDX-License-Identifier: BSL-1.0
// The kernel of a pointwise block, against loops over single elements: rows of every length around those of
// batches, operands in groups and with gaps, reductions and functions of whole rows that later stages read.
#include <sluice/xtensor/pointwise.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <sluice/expr/elementary.hpp>
#include <sluice/expr/reduction.hpp>
#include <sluice/expr/scan.hpp>
#include <support/own_block.hpp>
#include <vector>

namespace pointwise_test {

namespace {

namespace operation = sluice::operation;
using sluice::block_frame, sluice::xtensor::simd, sluice::xtensor::pointwise_kernel;
using support::apply, support::apply_to_row, support::number, support::reduce, support::of_row;
using size = std::size_t;

/// y = a - 2 b + w,  v = 3 w,  where b has one number for all rows, and w one for each of them.
struct elementwise {
    using operations = support::own_operations<operation::add, operation::subtract, operation::multiply>;
    static constexpr auto plan =
        support::make_block({false, false, true},
                            {number(2), apply(2, 0, 3, 1), apply(1, 0, 0, 4), apply(0, 0, 5, 2), number(3),
                             apply_to_row(2, 0, 7, 2)},
                            {{.from = 6}, {.from = 8, .per_row = true}, {.from = 8}});
};
/// s = the sum of x^2 over a row, m = the largest x:  y = x / s + m,  z = s for each element;  s is stored
/// too.
struct normalised {
    using operations = support::own_operations<operation::square, operation::sum, operation::largest,
                                               operation::divide, operation::add>;
    static constexpr auto plan = support::make_block(
        {false}, {apply(0, 0, 0), reduce(1, 0, 1), reduce(2, 0, 0), apply(3, 1, 0, 2), apply(4, 1, 4, 3)},
        {{.from = 5}, {.from = 2}, {.from = 2, .per_row = true}});
};
/// u = x^2, p = the sum of u up to each, y = p + u;  and the largest of y in each group, less u.
struct of_rows {
    using operations = support::own_operations<operation::square, operation::add, operation::largest,
                                               operation::subtract, operation::cumulative_sum>;
    static constexpr auto plan =
        support::make_block({false},
                            {apply(0, 0, 0), of_row(sluice::op::scan, 4, 0, 1), apply(1, 1, 2, 1),
                             of_row(sluice::op::reduce_groups, 2, 1, 3), apply(3, 2, 4, 1)},
                            {{.from = 2}, {.from = 4}, {.from = 5}});
};

template <class S>
constexpr S nothing = std::numeric_limits<S>::quiet_NaN();

/// [rows, columns] in groups that lie apart; what is between them is NaN.
template <class S>
struct operand {
    size rows, columns, piece, apart, row;
    std::vector<S> numbers;

    operand(size m, size groups, size n, size gap, size row_gap)
        : rows(m), columns(groups * n), piece(n), apart(n + gap), row(groups * apart + row_gap),
          numbers(m * row + 1, nothing<S>) {}
    S& operator()(size r, size c) { return numbers[r * row + c / piece * apart + c % piece]; }
    S operator()(size r, size c) const { return const_cast<operand&>(*this)(r, c); }
    typename block_frame<S>::operand of() {
        return {.data = numbers.data(), .row = row, .width = piece, .group = apart, .number = S(0)};
    }
    /// Whether what is not of it is as it was.
    bool has_gaps() const {
        std::vector<bool> is_mine(numbers.size());
        for (size r = 0; r < rows; ++r)
            for (size c = 0; c < columns; ++c)
                is_mine[r * row + c / piece * apart + c % piece] = true;
        bool all = true;
        for (size i = 0; i < numbers.size(); ++i)
            all = all && (is_mine[i] || std::isnan(numbers[i]));
        return all;
    }
    void fill(std::mt19937& from) {
        for (size r = 0; r < rows; ++r)
            for (size c = 0; c < columns; ++c)
                (*this)(r, c) = std::uniform_real_distribution<S>(S(-4), S(-1))(
                    from); // a start that is 0 would be larger
    }
};

template <class Block, class S>
void run(size rows, size columns, size piece, std::vector<typename block_frame<S>::operand> const& loads,
         std::vector<typename block_frame<S>::operand> const& stores, size group = 1) {
    using program = sluice::block_program<Block, 0>;
    std::array<size, program::codes> counts;
    counts.fill(group);
    std::vector<S> kept(program::registers * sluice::padded(columns), nothing<S>);
    pointwise_kernel<program, S>::run({.loads = loads.data(),
                                       .stores = stores.data(),
                                       .rows = rows,
                                       .columns = columns,
                                       .piece = piece,
                                       .counts = counts.data(),
                                       .kept = kept.data(),
                                       .kept_row = sluice::padded(columns)});
}

template <class S>
bool is_near(S found, double expected, double scale) {
    return std::abs(static_cast<double>(found) - expected) <=
           16 * static_cast<double>(std::numeric_limits<S>::epsilon()) *
               (std::abs(scale) + std::abs(expected));
}

/// f(columns of a piece, pieces) for lengths around those of batches, and of two that run together.
template <class S, class F>
void for_shapes(F const& f) {
    constexpr size lanes = simd<S>::lanes;
    for (size columns = 1; columns <= 3 * lanes + 1; ++columns)
        f(columns, size(1));
    for (size const piece : {size(1), lanes - 1, lanes, lanes + 1, 2 * lanes + 3, 4 * lanes})
        f(piece, size(3));
}

} // namespace

TEST_CASE_TEMPLATE("pointwise: elements, rows that are all the same, and a number for each row", S, float,
                   double) {
    std::mt19937 from(3);
    for_shapes<S>([&](size piece, size groups) {
        CAPTURE(piece);
        CAPTURE(groups);
        size const rows = 1 + from() % 3, columns = groups * piece;
        operand<S> a(rows, groups, piece, 2, 3), b(1, groups, piece, 1, 0), w(rows, 1, 1, 0, 4),
            y(rows, groups, piece, 3, 1), v(rows, 1, 1, 0, 2), vs(rows, groups, piece, 0, 0);
        a.fill(from), b.fill(from), w.fill(from);
        auto same_row = b.of();
        same_row.row = 0;
        run<elementwise, S>(rows, columns, piece, {a.of(), same_row, w.of()}, {y.of(), v.of(), vs.of()});
        for (size r = 0; r < rows; ++r) {
            CHECK(v(r, 0) == 3 * w(r, 0));
            for (size c = 0; c < columns; ++c) {
                REQUIRE(is_near(y(r, c),
                                static_cast<double>(a(r, c)) - 2 * static_cast<double>(b(0, c)) +
                                    static_cast<double>(w(r, 0)),
                                8));
                REQUIRE(vs(r, c) == v(r, 0));
            }
        }
        CHECK((y.has_gaps() && v.has_gaps() && vs.has_gaps()));
    });
}

TEST_CASE_TEMPLATE("pointwise: what reads reductions waits until they have seen the whole row, and no more",
                   S, float, double) {
    std::mt19937 from(4);
    for_shapes<S>([&](size piece, size groups) {
        CAPTURE(piece);
        CAPTURE(groups);
        size const rows = 1 + from() % 3, columns = groups * piece;
        operand<S> x(rows, groups, piece, 2, 3), y(rows, groups, piece, 3, 1), s(rows, groups, piece, 0, 2),
            t(rows, 1, 1, 0, 2);
        x.fill(from);
        run<normalised, S>(rows, columns, piece, {x.of()}, {y.of(), s.of(), t.of()});
        for (size r = 0; r < rows; ++r) {
            double sum = 0, largest = -1000;
            for (size c = 0; c < columns; ++c) {
                auto const z = static_cast<double>(x(r, c));
                sum += z * z, largest = std::max(largest, z);
            }
            CHECK(is_near(t(r, 0), sum, sum));
            for (size c = 0; c < columns; ++c) {
                REQUIRE(is_near(y(r, c), static_cast<double>(x(r, c)) / sum + largest, largest));
                REQUIRE(s(r, c) == t(r, 0));
            }
        }
        CHECK((y.has_gaps() && s.has_gaps() && t.has_gaps()));
    });
}

TEST_CASE_TEMPLATE(
    "pointwise: functions of whole rows are made of kept elements, and kept for the next stage", S, float,
    double) {
    std::mt19937 from(5);
    for_shapes<S>([&](size piece, size groups) {
        CAPTURE(piece);
        CAPTURE(groups);
        size const rows = 1 + from() % 3, columns = groups * piece;
        operand<S> x(rows, groups, piece, 0, 3), p(rows, groups, piece, 3, 1), g(rows, groups, piece, 0, 2),
            d(rows, groups, piece, 1, 0);
        x.fill(from);
        run<of_rows, S>(rows, columns, piece, {x.of()}, {p.of(), g.of(), d.of()}, piece);
        for (size r = 0; r < rows; ++r) {
            std::vector<double> square(columns), up(columns), y(columns);
            double sum = 0;
            for (size c = 0; c < columns; ++c) {
                square[c] = std::pow(static_cast<double>(x(r, c)), 2);
                up[c] = sum += square[c];
                y[c] = up[c] + square[c];
            }
            for (size c = 0; c < columns; ++c) {
                auto const first = y.begin() + static_cast<std::ptrdiff_t>(c / piece * piece);
                double const largest = *std::max_element(first, first + static_cast<std::ptrdiff_t>(piece));
                REQUIRE(is_near(p(r, c), up[c], sum));
                REQUIRE(is_near(g(r, c), largest, sum));
                REQUIRE(is_near(d(r, c), largest - square[c], sum));
            }
        }
        CHECK((p.has_gaps() && g.has_gaps() && d.has_gaps()));
    });
}

TEST_CASE_TEMPLATE("pointwise: an element has the same bits wherever it stands", S, float, double) {
    constexpr size lanes = simd<S>::lanes, columns = 5 * lanes + lanes / 2 + 1;
    operand<S> a(1, 1, columns, 0, 0), b(1, 1, columns, 0, 0), w(1, 1, 1, 0, 0), y(1, 1, columns, 0, 0),
        v(1, 1, 1, 0, 0), vs(1, 1, columns, 0, 0);
    std::mt19937 from(6);
    for (int round = 0; round < 50; ++round) {
        a.fill(from), b.fill(from), w.fill(from);
        for (size c = 1; c < columns; ++c)
            a(0, c) = a(0, 0), b(0, c) = b(0, 0);
        run<elementwise, S>(1, columns, columns, {a.of(), b.of(), w.of()}, {y.of(), v.of(), vs.of()});
        for (size c = 1; c < columns; ++c)
            REQUIRE(y(0, c) == y(0, 0));
    }
}

TEST_CASE("pointwise: no rows are nothing to do, and what is no number stays in its column, or in its row") {
    run<normalised, float>(0, 5, 5, {{}}, {{}, {}, {}});
    operand<float> a(2, 1, 11, 0, 1), b = a, w(2, 1, 1, 0, 0), y = a, v = w, vs = a;
    std::mt19937 from(7);
    a.fill(from), b.fill(from), w.fill(from);
    a(1, 9) = nothing<float>;
    run<elementwise, float>(2, 11, 11, {a.of(), b.of(), w.of()}, {y.of(), v.of(), vs.of()});
    for (size r = 0; r < 2; ++r)
        for (size c = 0; c < 11; ++c)
            CHECK(std::isnan(y(r, c)) == (r == 1 && c == 9));
    run<normalised, float>(2, 11, 11, {a.of()}, {y.of(), vs.of(), v.of()});
    CHECK_FALSE(std::isnan(v(0, 0)));
    CHECK(std::isnan(v(1, 0)));
    CHECK_FALSE(std::isnan(y(0, 9)));
    CHECK(std::isnan(y(1, 0)));
}

} // namespace pointwise_test
