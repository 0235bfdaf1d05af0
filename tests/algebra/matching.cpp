// SPDX-License-Identifier: BSL-1.0
// Functions written as others: each spelling is checked with numbers; sums in the atoms of another normal
// form; orders in which states are tried; places in two tables.
#include <cmath>
#include <doctest/doctest.h>
#include <set>
#include <sluice/algebra/matching.hpp>
#include <vector>

namespace matching_test {

using namespace sluice;
using sluice::detail::image, sluice::detail::add_image, sluice::detail::add_rows;
using sluice::detail::next_order, sluice::detail::function_forms, sluice::detail::ways_to_write;

namespace {

double value(meaning means, double z) {
    switch (means) {
    case meaning::sigmoid:
        return 1 / (1 + std::exp(-z));
    case meaning::tanh:
        return std::tanh(z);
    case meaning::relu:
        return z > 0 ? z : 0;
    default:
        return std::exp(z);
    }
}

} // namespace

TEST_CASE("matching: each spelling computes what the target does, whose argument is so many times that of "
          "the other") {
    meaning const all[] = {meaning::sigmoid, meaning::tanh, meaning::relu, meaning::exp};
    int found = 0;
    for (meaning const target : all)
        for (meaning const other : all)
            for (auto const& s : function_forms(target, other)) {
                ++found;
                for (double const z : {-3.0, -0.7, 0.0, 0.2, 2.5}) // what the other is given
                    CHECK(value(target, s.argument * z) ==
                          doctest::Approx(s.scale * value(other, z) + s.shift));
            }
    CHECK(found == 2 + 2 + 2 + 2 + 1 + 1);
    CHECK(function_forms(meaning::relu, meaning::tanh).empty());
    CHECK(function_forms(meaning::sigmoid, meaning::exp).empty());
}

TEST_CASE("matching: a function of which only the name is known is written as itself") {
    atom const tanh{.kind = atom_kind::function, .means = meaning::tanh};
    atom const first{.kind = atom_kind::function, .function = 7}, of_two{.function = 7, .second = 0};
    list<int> const places{9, 7, 8};
    CHECK(ways_to_write(tanh, tanh, places).size() == 2);
    CHECK(ways_to_write(first, {.function = 1}, places).size() == 1);
    CHECK(ways_to_write(first, {.function = 2}, places).empty());
    CHECK(ways_to_write(first, tanh, places).empty());
    CHECK(ways_to_write(of_two, {.function = 1}, places).empty());
    CHECK(ways_to_write(of_two, {.function = 1, .second = 3}, places).size() == 1);
}

TEST_CASE("matching: a sum in the atoms of another normal form") {
    // u is 1 - a_5, h is a_3; v is not known
    list<image> const images{image(5, {-1, 1, -1}), image(3), {}};
    monomial const uh{.factor = 2, .count = 2, .of = {0, 1}}, v{.count = 1, .of = {2}};
    monomial const h{.factor = -1, .count = 1, .of = {1}};
    polynomial sum, wanted;
    CHECK(add_image(sum, list<monomial>{h, uh}, images)); // - h + 2 u h = h - 2 a_5 h
    wanted.add({.factor = 1, .count = 1, .of = {3}});
    wanted.add({.factor = -2, .count = 2, .of = {3, 5}});
    CHECK(same_sum(sum.terms, wanted.terms));
    CHECK_FALSE(add_image(sum, v, images));
    CHECK(add_image(sum, v, images, 2)); // the number alone
    wanted.add({.factor = 1});
    CHECK(same_sum(sum.terms, wanted.terms));
}

TEST_CASE("matching: rows times a matrix are atoms that are there") {
    normal_form f;
    int const h = f.keep(atom{.kind = atom_kind::state, .node = 1});
    int const scale = f.keep(atom{.kind = atom_kind::setting, .node = 2});
    polynomial row;
    row.add({.count = 1, .of = {h}});
    atom const product{.kind = atom_kind::product, .node = 4, .argument = f.keep(row)};
    int const hR = f.keep(product);

    polynomial rows, made, wanted;
    rows.add({.factor = 3, .count = 1, .of = {h}});
    CHECK(add_rows(made, view_of(f), rows, product, {.factor = -2, .count = 1, .of = {scale}}));
    wanted.add({.factor = -6, .count = 2, .of = {scale, hR}});
    CHECK(same_sum(made.terms, wanted.terms));
    CHECK_FALSE(add_rows(made, view_of(f), rows, {.kind = atom_kind::product, .node = 5}));
    rows.add({.count = 2, .of = {h, h}});
    CHECK_FALSE(add_rows(made, view_of(f), rows, product));
}

TEST_CASE("matching: orders go through all permutations, each once, and end") {
    for (int const count : {0, 1, 2, 3, 5}) {
        list<int> order;
        for (int i = 0; i < count; ++i)
            order.push_back(i);
        std::set<std::vector<int>> seen;
        int steps = 0, expected = 1;
        for (int i = 2; i <= count; ++i)
            expected *= i;
        do {
            seen.insert(std::vector<int>(order.begin(), order.end()));
            ++steps;
        } while (next_order(order) && steps < 1000);
        CHECK(steps == expected);
        CHECK(seen.size() == static_cast<std::size_t>(expected));
    }
}

TEST_CASE("matching: functions of one table have places in another, or none") {
    using some = operation_list<operation::add, operation::exp, activation::tanh>;
    using other = operation_list<activation::tanh, operation::add>;
    list<int> const places = places_in<other>(some{});
    CHECK(places.size() == 3);
    CHECK(places[0] == 1);
    CHECK(places[1] == -1);
    CHECK(places[2] == 0);
}

TEST_CASE("matching: what is said of a match is kept with it") {
    matching m(matching_facts{true});
    CHECK(m.matched);
    CHECK(m.facts().matched);
    CHECK(m.terms.empty());
    CHECK_FALSE(matching().matched);
}

} // namespace matching_test
