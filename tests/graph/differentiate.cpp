// SPDX-License-Identifier: BSL-1.0
// The gradient of graphs of a few lines: one case for each rule at the head of graph/differentiate.hpp.
#include <doctest/doctest.h>
#include <sluice/graph/differentiate.hpp>
#include <sluice/graph/rules.hpp>
#include <support/graph_text.hpp>

namespace differentiate_test {

using graph_text::lines;

namespace {

/// The text of the gradient, without the lines of what was differentiated.
std::string gradient_of(std::string const& text) {
    sluice::graph const g = graph_text::graph_of(text);
    auto const d = sluice::differentiate(g.seen(), sluice::derivative_rules(graph_text::operations{}));
    std::string const all = graph_text::text_of(d.whole.seen());
    std::string rest = all.substr(all.find("\nd1 = ") + 1);
    std::string without;
    std::istringstream in(rest);
    for (std::string line; std::getline(in, line);)
        if (!line.starts_with("gives output") && !line.starts_with("gives next"))
            without += line + '\n';
    return without;
}

} // namespace

TEST_CASE("differentiate: a product, a bias and an activation") {
    CHECK(gradient_of(R"(
        x = input [T B 3]
        W = parameter [3 x 5]
        b = parameter bias [5]
        v1 = product x W [T B 5]
        v2 = add v1 b [T B 5]
        v3 = tanh v2 [T B 5]
        gives output v3
    )") == lines(R"(
        d1 = cotangent 0 [T B 5]
        v4 = number 1 []
        v5 = multiply v3 v3 [T B 5]
        v6 = subtract v4 v5 [T B 5]
        v7 = multiply d1 v6 [T B 5]
        v8 = total v7 [5]
        v9 = transpose W [5 x 3]
        v10 = product v7 v9 [T B 3]
        v11 = outer x v7 [3 x 5]
        gives d(x) v10
        gives d(W) v11
        gives d(b) v8
    )"));
}

TEST_CASE("differentiate: a state collects what its readers give, and a sum over features spreads again") {
    CHECK(gradient_of(R"(
        x = input [T B 3]
        h = state [T B 3]
        v1 = multiply x h [T B 3]
        v2 = sum v1 [T B]
        v3 = multiply v2 h [T B 3]
        gives output v3
        gives next(h) v3
    )") == lines(R"(
        d1 = cotangent 0 [T B 3]
        d2 = cotangent 1 [T B 3]
        v4 = add d1 d2 [T B 3]
        v5 = multiply v4 h [T B 3]
        v6 = sum v5 [T B]
        v7 = multiply v4 v2 [T B 3]
        v8 = number 1 []
        v9 = multiply v6 h [T B 3]
        v10 = multiply v6 x [T B 3]
        v11 = add v7 v10 [T B 3]
        gives d(x) v9
        gives d(h) v11
    )"));
}

TEST_CASE(
    "differentiate: parts side by side take columns, slices give theirs, and a cumulative sum turns round") {
    CHECK(gradient_of(R"(
        x = input [T B 8]
        v1 = slice x [T B 3]
        v2 = slice x from 3 [T B 5]
        v3 = concat v2 v1 [T B 8]
        v4 = cumsum v3 [T B 8]
        gives output v4
    )") == lines(R"(
        d1 = cotangent 0 [T B 8]
        v5 = reverse_cumsum d1 [T B 8]
        v6 = slice v5 [T B 5]
        v7 = slice v5 from 5 [T B 3]
        v8 = copy v7 mark -2 [T B 3]
        v9 = copy v6 mark -2 [T B 5]
        v10 = concat v8 v9 [T B 8]
        gives d(x) v10
    )"));
}

TEST_CASE("differentiate: what is fixed, or takes no part, has no gradient, or zeros") {
    CHECK(gradient_of(R"(
        x = input [T B 3]
        y = input [T B 2]
        W = parameter fixed [3 x 3]
        v1 = product x W [T B 3]
        gives output v1
    )") == lines(R"(
        d1 = cotangent 0 [T B 3]
        v2 = transpose W [3 x 3]
        v3 = product d1 v2 [T B 3]
        v4 = zero [T B 2]
        gives d(x) v3
        gives d(y) v4
    )"));
}

TEST_CASE("differentiate: a trained scalar sums over time, the batch and the features") {
    CHECK(gradient_of(R"(
        x = input [T B 3]
        a = parameter []
        v1 = multiply a x [T B 3]
        gives output v1
    )") == lines(R"(
        d1 = cotangent 0 [T B 3]
        v2 = multiply d1 x [T B 3]
        v3 = sum v2 [T B]
        v4 = total v3 []
        v5 = multiply d1 a [T B 3]
        gives d(x) v5
        gives d(a) v4
    )"));
}

TEST_CASE(
    "differentiate: a product stands last in the sum of a gradient, where the planner can add it in place") {
    std::string const text = gradient_of(R"(
        h = state [T B 3]
        R = parameter [3 x 3]
        v1 = product h R [T B 3]
        v2 = multiply v1 h [T B 3]
        gives output v2
        gives next(h) v2
    )");
    CHECK(text == lines(R"(
        d1 = cotangent 0 [T B 3]
        d2 = cotangent 1 [T B 3]
        v3 = add d1 d2 [T B 3]
        v4 = multiply v3 h [T B 3]
        v5 = multiply v3 v1 [T B 3]
        v6 = transpose R [3 x 3]
        v7 = product v4 v6 [T B 3]
        v8 = outer h v4 [3 x 3]
        v9 = add v5 v7 [T B 3]
        gives d(h) v9
        gives d(R) v8
    )"));
}

TEST_CASE("differentiate: the gradient of a gradient has the adjoints of both, one after the other") {
    sluice::graph const g = graph_text::graph_of(R"(
        x = input [T B 3]
        v1 = multiply x x [T B 3]
        gives output v1
    )");
    auto const rules = sluice::derivative_rules(graph_text::operations{});
    auto const once = sluice::differentiate(g.seen(), rules);
    auto const twice = sluice::differentiate(once, rules);
    CHECK(once.sweeps.size() == 2);
    CHECK(twice.sweeps.size() == 4);
    CHECK(twice.given == once.whole.size());
    for (int k = 1; k < twice.sweeps.size(); ++k)
        CHECK(twice.sweeps[k - 1] < twice.sweeps[k]);
    for (int i = 0; i < twice.whole.size(); ++i) // no sweep reads nodes of a later one
        for (int const o : twice.whole.operands_of(i))
            CHECK(o < i);
}

} // namespace differentiate_test
