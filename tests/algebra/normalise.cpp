// SPDX-License-Identifier: BSL-1.0
// Spellings of one value have one normal form, and values that differ have two: two results of a graph are
// compared.
#include <doctest/doctest.h>
#include <sluice/algebra/normalise.hpp>
#include <support/graph_text.hpp>

namespace normalise_test {

namespace {

constexpr char const* leaves = R"(
    a = input [T B 3]
    c = state [T B 3]
    u = state [T B 3]
    K = parameter [3 x 3]
    M = parameter [3 x 3]
    s = setting []
    one = number 1 []
)";

/// Whether `left` and `right` of these lines have the same form.
bool are_one(std::string const& text) {
    sluice::graph const g =
        graph_text::graph_of(leaves + text + "\n gives output left\n gives next(c) right\n");
    auto const f = sluice::normalise(g.seen(), sluice::meanings_of(graph_text::operations{}));
    return f.results[0] == f.results[1];
}

} // namespace

TEST_CASE("normalise: the update of a GRU, however it is written") {
    std::string const first = R"(
        v1 = subtract one u [T B 3]
        v2 = multiply v1 a [T B 3]
        v3 = multiply u c [T B 3]
        left = add v2 v3 [T B 3]
    )";
    CHECK(are_one(first + R"(
        w1 = subtract c a [T B 3]
        w2 = multiply w1 u [T B 3]
        right = add a w2 [T B 3]
    )"));
    CHECK(are_one(first + R"(
        w1 = subtract a c [T B 3]
        w2 = multiply v1 w1 [T B 3]
        right = add w2 c [T B 3]
    )"));
    CHECK_FALSE(are_one(first + R"(
        w1 = subtract a c [T B 3]
        w2 = multiply w1 u [T B 3]
        right = add a w2 [T B 3]
    )"));
}

TEST_CASE("normalise: functions of a negative, and the sigmoid by exp") {
    std::string const minus = "m = negate a [T B 3]\n";
    CHECK(
        are_one(minus + "left = sigmoid m [T B 3]\n v = sigmoid a [T B 3]\n right = subtract one v [T B 3]"));
    CHECK(are_one(minus + "left = tanh m [T B 3]\n v = tanh a [T B 3]\n right = negate v [T B 3]"));
    CHECK(are_one(minus + "left = sigmoid a [T B 3]\n v = exp m [T B 3]\n w = add one v [T B 3]\n right = "
                          "divide one w [T B 3]"));
    CHECK_FALSE(are_one(minus + "left = relu m [T B 3]\n v = relu a [T B 3]\n right = negate v [T B 3]"));
    CHECK_FALSE(are_one(minus + "left = sigmoid a [T B 3]\n right = sigmoid m [T B 3]"));
    CHECK_FALSE(are_one("left = sigmoid a [T B 3]\n right = tanh a [T B 3]"));
    // of a sum that is zero they are numbers
    CHECK(are_one("z = subtract a a [T B 3]\n left = sigmoid z [T B 3]\n h = number 0.5 []\n right = spread "
                  "h [T B 3]"));
    CHECK(are_one("z = subtract a a [T B 3]\n left = tanh z [T B 3]\n right = copy z [T B 3]"));
}

TEST_CASE("normalise: matrices are distributed over sums on both sides, and over what stands side by side") {
    std::string const apart = "p = product a K [T B 3]\n q = product c K [T B 3]\n left = add p q [T B 3]\n";
    CHECK(are_one(apart + "v = add c a [T B 3]\n right = product v K [T B 3]"));
    CHECK_FALSE(are_one(apart + "v = add c a [T B 3]\n right = product v M [T B 3]"));
    CHECK(are_one("p = product a K [T B 3]\n q = product a M [T B 3]\n left = subtract p q [T B 3]\n"
                  "N = subtract K M [3 x 3]\n right = product a N [T B 3]"));
    CHECK(are_one("t = transpose K [3 x 3]\n tt = transpose t [3 x 3]\n left = product a tt [T B 3]\n right "
                  "= product a K [T B 3]"));
    CHECK_FALSE(
        are_one("t = transpose K [3 x 3]\n left = product a t [T B 3]\n right = product a K [T B 3]"));
    // a number in the middle is a number of the result
    CHECK(are_one("v = multiply s a [T B 3]\n left = product v K [T B 3]\n w = product a K [T B 3]\n right = "
                  "multiply w s [T B 3]"));
    CHECK(are_one("N = multiply s K [3 x 3]\n left = product a N [T B 3]\n w = product a K [T B 3]\n right = "
                  "multiply w s [T B 3]"));
    // [a, c] L is a times the first rows of L and c times the others
    std::string const both = "L = parameter [6 x 3]\n ac = concat a c [T B 6]\n ca = concat c a [T B 6]\n "
                             "left = product ac L [T B 3]\n";
    CHECK_FALSE(are_one(both + "right = product ca L [T B 3]"));
    CHECK(are_one(both + "v = negate a [T B 3]\n w = negate c [T B 3]\n vw = concat v w [T B 6]\n x = "
                         "product vw L [T B 3]\n right = negate x [T B 3]"));
}

TEST_CASE("normalise: quotients by numbers and settings, and slices of what was put together") {
    CHECK(are_one(
        "n = number 4 []\n left = divide a n [T B 3]\n q = number 0.25 []\n right = multiply q a [T B 3]"));
    CHECK(are_one("v = divide a s [T B 3]\n w = divide c s [T B 3]\n left = add v w [T B 3]\n x = add c a [T "
                  "B 3]\n right = divide x s [T B 3]"));
    CHECK_FALSE(are_one("left = divide a s [T B 3]\n right = multiply a s [T B 3]"));
    CHECK(are_one("left = divide a u [T B 3]\n v = copy a [T B 3]\n right = divide v u [T B 3]") ==
          false); // the algebra of this is not known
    CHECK(are_one("both = concat a c [T B 6]\n left = slice both from 3 [T B 3]\n right = copy c [T B 3]"));
    CHECK(are_one("both = concat a c [T B 6]\n left = slice both [T B 3]\n right = copy a [T B 3]"));
    CHECK_FALSE(are_one(
        "both = concat a c [T B 6]\n left = slice both from 2 [T B 3]\n right = slice both from 1 [T B 3]"));
}

TEST_CASE("normalise: functions of two operands, whose order counts, and reductions are taken as they are") {
    CHECK_FALSE(are_one("left = max a [T B]\n right = sum a [T B]"));
    CHECK(are_one(
        "m = negate a [T B 3]\n n = negate m [T B 3]\n left = exp n [T B 3]\n right = exp a [T B 3]"));
    CHECK_FALSE(are_one("m = negate a [T B 3]\n left = exp m [T B 3]\n right = exp a [T B 3]"));
}

} // namespace normalise_test
