// SPDX-License-Identifier: BSL-1.0
// What each kind of node means, in numbers that are written down.
#include <sluice/xtensor/evaluate.hpp>

#include <doctest/doctest.h>
#include <string>
#include <support/graph_text.hpp>

namespace evaluate_test {

namespace {

template <class S>
using matrix = xt::xtensor<S, 2>;

/// Two rows of four features, a number for each row, a bias, and matrices, of which one is block-diagonal.
constexpr auto leaves = R"(
    x = input [T B 4]
    s = input [T B]
    b = parameter bias [4]
    W = parameter [4 x 2]
    G = parameter [2: 4 x 2]
)";

/// The last node of a graph that has these leaves.
template <class S>
matrix<S> value_of(std::string const& text) {
    auto const of = graph_text::sweep_of(leaves + text + "\ngives output y");
    sluice::xtensor::node_values<S> value(static_cast<std::size_t>(of.g.size()));
    auto const give = [&](char const* called, matrix<S> const& tensor) {
        value[static_cast<std::size_t>(of[called])] = tensor;
    };
    give("x", {{1, 2, 3, 4}, {5, -6, 7, 8}});
    give("s", {{2}, {3}});
    give("b", {{10, 20, 30, 40}});
    give("W", {{1, 0}, {0, 1}, {2, 1}, {-1, 3}});
    give("G", {{3, 0}, {5, 0}, {0, 7}, {0, 1}});
    sluice::xtensor::evaluate<graph_text::operations>(of.g.seen(), {.input = 4, .units = 2}, 2, value);
    return value[static_cast<std::size_t>(of["y"])];
}

template <class S>
void check(std::string const& text, matrix<S> const& expected) {
    CAPTURE(text);
    matrix<S> const found = value_of<S>(text);
    REQUIRE(found.shape() == expected.shape());
    CHECK(found == expected);
}

} // namespace

TEST_CASE_TEMPLATE("evaluate: functions of elements, of a number for each row, and of one row for all", S,
                   float, double) {
    check<S>("y = multiply x s [T B 4]", {{2, 4, 6, 8}, {15, -18, 21, 24}});
    check<S>("y = add x b [T B 4]", {{11, 22, 33, 44}, {15, 14, 37, 48}});
    check<S>("y = relu x [T B 4]", {{1, 2, 3, 4}, {5, 0, 7, 8}});
    check<S>("v1 = number 2.5 []\ny = multiply s v1 [T B]", {{5}, {7.5}});
    check<S>("y = number 0.5 []", {{0.5}});
    check<S>("y = zero [T B 3]", {{0, 0, 0}, {0, 0, 0}});
    check<S>("y = multiply b b [4]", {{100, 400, 900, 1600}});
}

TEST_CASE_TEMPLATE("evaluate: reductions, of groups too, sums up to each feature, and how many there are", S,
                   float, double) {
    check<S>("y = sum x [T B]", {{10}, {14}});
    check<S>("y = max x [T B]", {{4}, {8}});
    check<S>("y = max x groups 2 [T B 4]", {{2, 2, 4, 4}, {5, 5, 8, 8}});
    check<S>("y = sum x groups 2 [T B 4]", {{3, 3, 7, 7}, {-1, -1, 15, 15}});
    check<S>("y = cumsum x [T B 4]", {{1, 3, 6, 10}, {5, -1, 6, 14}});
    check<S>("y = reverse_cumsum x [T B 4]", {{10, 9, 7, 4}, {14, 9, 15, 8}});
    check<S>("y = features x []", {{4}});
    check<S>("y = features x groups 2 []", {{2}});
    check<S>("y = spread s [T B 3]", {{2, 2, 2}, {3, 3, 3}});
}

TEST_CASE_TEMPLATE("evaluate: products, outer products and sums over the batch", S, float, double) {
    check<S>("y = product x W [T B 2]", {{3, 17}, {11, 25}});
    check<S>("y = product x G [T B 2]", {{13, 25}, {-15, 57}});
    check<S>("v1 = product x W [T B 2]\ny = outer x v1 [4 x 2]",
             {{58, 142}, {-60, -116}, {86, 226}, {100, 268}});
    check<S>("v1 = product x W [T B 2]\ny = outer x v1 [2: 4 x 2]", {{58, 0}, {-60, 0}, {0, 226}, {0, 268}});
    check<S>("y = total x [4]", {{6, -4, 10, 12}});
    check<S>("y = transpose W [2 x 4]", {{1, 0, 2, -1}, {0, 1, 1, 3}});
}

TEST_CASE_TEMPLATE("evaluate: parts of features, side by side, and within groups", S, float, double) {
    check<S>("y = slice x [T B 3]", {{1, 2, 3}, {5, -6, 7}});
    check<S>("y = slice x from 1 [T B 2]", {{2, 3}, {-6, 7}});
    check<S>("y = slice x from 2 groups 2 [T B 2]", {{2, 4}, {-6, 8}});
    check<S>("y = slice x groups 2 [T B 2]", {{1, 3}, {5, 7}});
    check<S>("v1 = slice x from 1 [T B 2]\ny = concat v1 x [T B 6]",
             {{2, 3, 1, 2, 3, 4}, {-6, 7, 5, -6, 7, 8}});
    check<S>("v1 = slice x from 1 [T B 2]\ny = concat v1 x groups 2 [T B 6]",
             {{2, 1, 2, 3, 3, 4}, {-6, 5, -6, 7, 7, 8}});
    check<S>("v1 = slice x [T B 2]\ny = concat x v1 groups 2 [T B 6]",
             {{1, 2, 1, 3, 4, 2}, {5, -6, 5, 7, 8, -6}});
}

TEST_CASE("evaluate: the functions of the table are those of plain numbers") {
    auto const y = value_of<double>("y = tanh x [T B 4]");
    CHECK(y(1, 1) == doctest::Approx(std::tanh(-6.)).epsilon(1e-15));
    auto const z =
        value_of<double>("v1 = sigmoid x [T B 4]\nv2 = slice v1 from 1 [T B 1]\ny = exp v2 [T B 1]");
    CHECK(z(0, 0) == doctest::Approx(std::exp(1 / (1 + std::exp(-2.)))).epsilon(1e-15));
}

} // namespace evaluate_test
