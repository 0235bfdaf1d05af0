// SPDX-License-Identifier: BSL-1.0
// Functions written as others: each spelling is checked with numbers; orders in which states are tried;
// places in two tables.
#include <cmath>
#include <doctest/doctest.h>
#include <set>
#include <sluice/algebra/matching.hpp>
#include <vector>

namespace matching_test {

using namespace sluice;
using sluice::detail::next_order, sluice::detail::function_forms;

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
