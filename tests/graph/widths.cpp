// SPDX-License-Identifier: BSL-1.0
// Widths and their sums: equal ones have one place, and a sum that is a symbol or a number is that.
#include <doctest/doctest.h>
#include <sluice/graph/widths.hpp>

namespace widths_test {

using sluice::symbol;
using sluice::width;

namespace {

struct table {
    sluice::basic_widths<sluice::list> all{};
    int input = sluice::intern_width(all, symbol::input), units = sluice::intern_width(all, symbol::units),
        three = sluice::intern_width(all, width(std::size_t(3))),
        five = sluice::intern_width(all, width(std::size_t(5)));

    int sum(sluice::list<int> const& summands, sluice::list<int> const& less = {}) {
        return sluice::sum_of_widths(all, summands, less);
    }
    std::size_t number(int w) const { return all.extent(w, {.input = 11, .units = 7}); }
};

} // namespace

TEST_CASE("widths: a width is there once") {
    table t;
    CHECK(sluice::intern_width(t.all, symbol::units) == t.units);
    CHECK(sluice::intern_width(t.all, width(std::size_t(5))) == t.five);
    CHECK(t.all.widths.size() == 4);
}

TEST_CASE("widths: a sum is there once, in whatever order it is made") {
    table t;
    int const sum = t.sum({t.input, t.units, t.three});
    CHECK(t.sum({t.three, t.units, t.input}) == sum);
    CHECK(t.sum({t.sum({t.input, t.three}), t.units}) == sum);
    CHECK(t.number(sum) == 21);
    CHECK(t.sum({t.units, t.units}) != t.sum({t.units, t.units, t.units}));
    CHECK(t.number(t.sum({t.units, t.units, t.units, t.five})) == 26);
}

TEST_CASE("widths: what is less than its parts cancels, down to a symbol, a number or nothing") {
    table t;
    int const sum = t.sum({t.input, t.units, t.three});
    CHECK(t.sum({sum}, {t.units, t.three}) == t.input);
    CHECK(t.sum({sum}, {t.units, t.input}) == t.three);
    CHECK(t.sum({sum}, {sum}) == -1);
    CHECK(t.sum({}) == -1);
    CHECK(t.sum({-1, t.units}) == t.units);
    CHECK(t.number(t.sum({t.input}, {t.three})) == 8);
}

TEST_CASE("widths: a product has the columns of its matrix, and of a matrix value its rows and groups") {
    table t;
    CHECK(sluice::width_of_product(t.all, t.input, t.five) == t.five);
    int const two = sluice::intern_width(t.all, width(std::size_t(2)));
    int const four = sluice::intern_width(t.all, width(std::size_t(4)));
    int const plain = sluice::intern_matrix(t.all, t.three, t.units, -1),
              grouped = sluice::intern_matrix(t.all, four, t.units, two);
    CHECK(sluice::width_of_product(t.all, plain, t.units) == plain);
    CHECK(t.number(sluice::width_of_product(t.all, plain, t.five)) == 3 * 5);
    CHECK(t.number(sluice::width_of_product(t.all, grouped, two)) == 2 * (4 / 2) * (2 / 2));
}

TEST_CASE("widths: before nothing lie 0 columns, and nothing is 1 wide") {
    table t;
    CHECK(t.all.offset(-1, {}) == 0);
    CHECK(t.all.extent(-1, {}) == 1);
}

TEST_CASE("widths: the numbers of a matrix are a width, of its groups if it has some") {
    table t;
    int const plain = sluice::intern_matrix(t.all, t.units, t.five, -1);
    int const groups = sluice::intern_width(t.all, width(std::size_t(7)));
    int const grouped = sluice::intern_matrix(t.all, t.units, t.five, groups);
    CHECK(sluice::intern_matrix(t.all, t.units, t.five, -1) == plain);
    CHECK(sluice::intern_matrix(t.all, t.five, t.units, -1) != plain);
    CHECK(grouped != plain);
    CHECK(t.number(plain) == 35);
    CHECK(t.number(grouped) == 5);
    CHECK(t.all.width_of(plain).kind == symbol::matrix);
    // A summand as any other, and one that can be taken away again.
    int const more = t.sum({plain, t.three, plain});
    CHECK(t.number(more) == 73);
    CHECK(t.sum({more}, {plain, t.three}) == plain);
    CHECK(t.all.is_positive(more));
    int const rows = t.sum({t.units, t.three}); // a sum may be a side of a matrix
    CHECK(t.number(sluice::intern_matrix(t.all, rows, rows, -1)) == 100);
    // No groups at all are refused by the sizes; until then nothing is divided by them.
    int const none = sluice::intern_width(t.all, width(std::size_t(0)));
    CHECK(t.number(sluice::intern_matrix(t.all, t.units, t.five, none)) == 0);
}

} // namespace widths_test
