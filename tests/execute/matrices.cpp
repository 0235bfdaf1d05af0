// SPDX-License-Identifier: BSL-1.0
// Matrices that are made of others: each expression against numbers that are worked out here, with groups and
// without.
#include <sluice/execute/matrices.hpp>

#include <doctest/doctest.h>
#include <sluice/core/half.hpp>
#include <support/graph_text.hpp>
#include <vector>

namespace matrices_test {

namespace {

using numbers = std::vector<double>;

/// The values of a graph of matrices.
struct scene {
    graph_text::owned_sweep of;
    sluice::matrix_values<double> values;

    explicit scene(std::string const& text)
        : of(graph_text::sweep_of(text)), values(of.g.seen(), {.input = 3, .units = 2}) {}
    scene(scene const&) = delete;

    void give(char const* node, numbers const& those) { values.give(of[node], those.data()); }
    numbers made(char const* node) {
        double const* const p = values.make(of[node]);
        return {p, p + values.count(of[node])};
    }
};

numbers const a{1, 2, 3, 4, 5, 6}, b{0.5, -1, 8, 0, 16, -2};

} // namespace

TEST_CASE("matrices: transposes, columns, and matrices side by side") {
    scene s(R"(
        A = parameter [input x units]
        C = parameter [input x units]
        v1 = transpose A [units x input]
        v2 = concat A C [input x 2units]
        v3 = slice v2 from 1 [input x 2]
        v4 = slice A from 1 [input x 1]
    )");
    s.give("A", a), s.give("C", b);
    CHECK(s.made("A") == a);
    CHECK(s.made("v1") == numbers{1, 3, 5, 2, 4, 6});
    CHECK(s.made("v2") == numbers{1, 2, 0.5, -1, 3, 4, 8, 0, 5, 6, 16, -2});
    CHECK(s.made("v3") == numbers{2, 0.5, 4, 8, 6, 16});
    CHECK(s.made("v4") == numbers{2, 4, 6});
    auto const parts = s.values.side_by_side(s.of["A"]);
    REQUIRE(parts.size() == 1);
    CHECK(parts[0].columns == 2);
}

TEST_CASE("matrices: a concat that was not made is its operands side by side") {
    scene s(R"(
        A = parameter [input x units]
        C = parameter [input x 1]
        v1 = concat A C [input x units+1]
    )");
    numbers const c{7, 8, 9};
    s.give("A", a), s.give("C", c);
    auto const parts = s.values.side_by_side(s.of["v1"]);
    REQUIRE(parts.size() == 2);
    CHECK((parts[0].values[5] == 6 && parts[0].columns == 2 && parts[1].values[2] == 9 &&
           parts[1].columns == 1));
}

TEST_CASE("matrices: sums, differences, multiples by numbers and settings, quotients, opposites") {
    scene s(R"(
        A = parameter [input x units]
        C = parameter [input x units]
        k = setting []
        v1 = add A C [input x units]
        v2 = subtract A C [input x units]
        v3 = multiply k A [input x units]
        v4 = number 4 []
        v5 = divide C v4 [input x units]
        v6 = negate v5 [input x units]
        v7 = zero [input x units]
        v8 = copy v7 [input x units]
    )");
    double const k = -0.5;
    s.give("A", a), s.give("C", b), s.values.give(s.of["k"], &k);
    CHECK(s.made("v1") == numbers{1.5, 1, 11, 4, 21, 4});
    CHECK(s.made("v2") == numbers{0.5, 3, -5, 4, -11, 8});
    CHECK(s.made("v3") == numbers{-0.5, -1, -1.5, -2, -2.5, -3});
    CHECK(s.made("v6") == numbers{-0.125, 0.25, -2, 0, -4, 0.5});
    CHECK(s.made("v8") == numbers(6));
}

TEST_CASE("matrices: of groups each lies by itself") {
    scene s(R"(
        A = parameter [2: 4 x 4]
        C = parameter [2: 4 x 2]
        v1 = transpose A [2: 4 x 4]
        v2 = concat A C groups 2 [2: 4 x 6]
        v3 = slice v2 from 4 groups 2 [2: 4 x 2]
    )");
    numbers const of_groups{1, 2, 3, 4, 5, 6, 7, 8}, c{10, 20, 30, 40};
    s.give("A", of_groups), s.give("C", c);
    CHECK(s.made("v1") == numbers{1, 3, 2, 4, 5, 7, 6, 8});
    CHECK(s.made("v2") == numbers{1, 2, 10, 3, 4, 20, 5, 6, 30, 7, 8, 40});
    CHECK(s.made("v3") == c);
}

TEST_CASE("matrices: what others have is not made again, and what was made stays when what was given goes") {
    scene s(R"(
        A = parameter [input x units]
        v1 = transpose A [units x input]
        v2 = negate v1 [units x input]
    )");
    s.give("A", a);
    double const* const there = s.values.make(s.of["v1"]);
    CHECK(s.values.make(s.of["v1"]) == there);
    s.values.forget_given();
    CHECK(s.values.find(s.of["A"]) == nullptr);
    CHECK(s.values.find(s.of["v1"]) == there);
    sluice::matrix_values<double> later(s.of.g.seen(), {.input = 3, .units = 2}, &s.values);
    CHECK(later.find(s.of["v1"]) == there);
    numbers to(6);
    later.make_at(s.of["v2"], to.data());
    CHECK(to == numbers{-1, -3, -5, -2, -4, -6});
    later.make_at(s.of["v1"], to.data());
    CHECK(to == numbers{1, 3, 5, 2, 4, 6});
    s.values.forget_made();
    CHECK(later.find(s.of["v1"]) == nullptr);
}

TEST_CASE("matrices: what is kept in a narrow type is widened first") {
    auto const of = graph_text::sweep_of(R"(
        A = parameter [1 x 2]
        k = setting []
        v1 = multiply k A [1 x 2]
    )");
    sluice::matrix_values<sluice::bfloat16> values(of.g.seen(), {});
    sluice::bfloat16 const kept[] = {sluice::rounded<sluice::bfloat16>(1.f),
                                     sluice::rounded<sluice::bfloat16>(-3.f)};
    float const k = 1.0009765625f; // which no bfloat16 is
    values.give(of["A"], kept);
    values.give(of["k"], &k);
    float const* const made = values.make(of["v1"]);
    CHECK((made[0] == k && made[1] == -3 * k));
}

TEST_CASE("matrices: an expression that is not linear is a fault of the passes") {
    scene s(R"(
        A = parameter [input x units]
        v1 = tanh A [input x units]
    )");
    s.give("A", a);
    CHECK_THROWS_WITH_AS(s.made("v1"),
                         "sluice: a matrix that products multiply with is made of others by sums, multiples, "
                         "transposes and parts only; this is a fault of the passes",
                         std::logic_error);
}

} // namespace matrices_test
