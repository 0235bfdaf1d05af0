// SPDX-License-Identifier: BSL-1.0
// Which products become one, what their results are then, and which of them stay alone.
#include "cells.hpp"

#include <doctest/doctest.h>
#include <sluice/graph/fuse.hpp>
#include <support/both.hpp>
#include <support/graph_text.hpp>

namespace fuse_test {

using graph_text::lines;

namespace {
std::string fused(std::string const& text) {
    return graph_text::text_of(sluice::fuse(graph_text::graph_of(text).seen()).seen());
}
} // namespace

TEST_CASE("fuse: products of one operand become one, in the order of the sums that they are added to") {
    CHECK(fused(R"(
        x = input [T B input]
        h = state [T B units]
        W_r = parameter [input x units]
        W_u = parameter [input x units]
        R_r = parameter [units x units]
        R_u = parameter [units x units]
        v1 = product x W_u [T B units]
        v2 = product x W_r [T B units]
        v3 = product h R_r [T B units]
        v4 = product h R_u [T B units]
        v5 = add v2 v3 [T B units]
        v6 = add v1 v4 [T B units]
        v7 = multiply v5 v6 [T B units]
        gives output v7
        gives next(h) v7
    )") == lines(R"(
        x = input [T B input]
        h = state [T B units]
        W_r = parameter [input x units]
        W_u = parameter [input x units]
        R_r = parameter [units x units]
        R_u = parameter [units x units]
        v1 = concat W_r W_u [input x 2units]
        v2 = product x v1 [T B 2units]
        v3 = slice v2 from units [T B units]
        v4 = slice v2 [T B units]
        v5 = concat R_r R_u [units x 2units]
        v6 = product h v5 [T B 2units]
        v7 = slice v6 [T B units]
        v8 = slice v6 from units [T B units]
        v9 = add v4 v7 [T B units]
        v10 = add v3 v8 [T B units]
        v11 = multiply v9 v10 [T B units]
        gives output v11
        gives next(h) v11
    )"));
}

TEST_CASE("fuse: widths may differ, and what then stands side by side again is copied there") {
    CHECK(fused(R"(
        x = input [T B input]
        A = parameter [input x 3]
        C = parameter [input x 5]
        v1 = product x A [T B 3]
        v2 = product x C [T B 5]
        v3 = concat v1 v2 [T B 8]
        gives output v3
    )") == lines(R"(
        x = input [T B input]
        A = parameter [input x 3]
        C = parameter [input x 5]
        v1 = concat A C [input x 8]
        v2 = product x v1 [T B 8]
        v3 = slice v2 [T B 3]
        v4 = slice v2 from 3 [T B 5]
        v5 = copy v3 [T B 3]
        v6 = copy v4 [T B 5]
        v7 = concat v5 v6 [T B 8]
        gives output v7
    )"));
}

TEST_CASE(
    "fuse: matrices of as many groups stand side by side within each group, a dense one apart from them") {
    CHECK(fused(R"(
        x = input [T B 8]
        A = parameter [4: 8 x 4]
        C = parameter [4: 8 x 12]
        D = parameter [8 x 4]
        v1 = product x A [T B 4]
        v2 = product x C [T B 12]
        v3 = product x D [T B 4]
        v4 = multiply v1 v3 [T B 4]
        v5 = concat v4 v2 [T B 16]
        gives output v5
    )") == lines(R"(
        x = input [T B 8]
        A = parameter [4: 8 x 4]
        C = parameter [4: 8 x 12]
        D = parameter [8 x 4]
        v1 = concat A C groups 4 [4: 8 x 16]
        v2 = product x v1 [T B 16]
        v3 = slice v2 groups 4 [T B 4]
        v4 = slice v2 from 4 groups 4 [T B 12]
        v5 = product x D [T B 4]
        v6 = multiply v3 v5 [T B 4]
        v7 = copy v4 [T B 12]
        v8 = concat v6 v7 [T B 16]
        gives output v8
    )"));
}

TEST_CASE("fuse: a grouped product that a dense matrix multiplies stays alone, since its columns have to lie "
          "together") {
    std::string const text = lines(R"(
        x = input [T B 8]
        A = parameter [4: 8 x 4]
        C = parameter [4: 8 x 4]
        D = parameter [4 x 4]
        v1 = product x A [T B 4]
        v2 = product x C [T B 4]
        v3 = product v1 D [T B 4]
        v4 = multiply v2 v3 [T B 4]
        gives output v4
    )");
    CHECK(fused(text) == text);
}

TEST_CASE("fuse: products of different phases stay apart") {
    std::string const text = lines(R"(
        x = input [T B 3]
        h = state [T B 3]
        A = parameter [3 x 3]
        C = parameter [3 x 5]
        v1 = product h A [T B 3]
        v2 = add x v1 [T B 3]
        v3 = product h C [T B 5]
        gives output v3
        gives next(h) v2
    )");
    CHECK(fused(text) == text); // v1 in the loop, v3 after it
}

TEST_CASE("fuse: a next state that is an input, a slice, or another's next state is copied") {
    CHECK(fused(R"(
        x = input [T B 3]
        h = state [T B 3]
        k = state [T B 3]
        m = state [T B 3]
        p = state [T B 2]
        v1 = tanh h [T B 3]
        v2 = slice v1 from 1 [T B 2]
        gives output v1
        gives next(h) v1
        gives next(k) v1
        gives next(m) x
        gives next(p) v2
    )") == lines(R"(
        x = input [T B 3]
        h = state [T B 3]
        k = state [T B 3]
        m = state [T B 3]
        p = state [T B 2]
        v1 = tanh h [T B 3]
        v2 = slice v1 from 1 [T B 2]
        v3 = copy v1 mark 2 [T B 3]
        v4 = copy x mark 3 [T B 3]
        v5 = copy v2 mark 4 [T B 2]
        gives output v1
        gives next(h) v1
        gives next(k) v3
        gives next(m) v4
        gives next(p) v5
    )"));
}

TEST_CASE("fuse: products of one matrix value stay two") {
    using namespace sluice::equation;
    constexpr auto S = state<"S", units, 7>;
    constexpr auto lines = sluice::lines(next(S) = tanh(S * R<"s">) + S * R<"z">, output = x * W<"k"> * S);
    sluice::graph const g = sluice::fuse(cells::passes_of<decltype(lines)>::graph);
    int products = 0;
    for (sluice::node const& n : g.nodes)
        products += n.kind == sluice::op::product;
    CHECK(products == 3);
}

namespace {
/// How many vectors stand in what the one sum over a matrix value sums, and whether the rest of it is a
/// state.
template <class Lines>
constexpr std::pair<int, bool> summed(Lines const&) {
    sluice::graph const g = sluice::fuse(cells::passes_of<Lines>::graph);
    std::pair<int, bool> found{0, false};
    for (int i = 0; i < g.size(); ++i)
        if (g[i].kind == sluice::op::fold) {
            int rest = g.operand(i);
            for (; g.is(rest, sluice::f_multiply); ++found.first)
                rest = g.operand(rest, g[g.operand(rest)].kind == sluice::op::repeat ? 1 : 0);
            found.second = g[rest].kind == sluice::op::state;
        }
    return found;
}
} // namespace

TEST_CASE("fuse: vectors that stand alike in a matrix value are multiplied before it is summed with them") {
    using namespace sluice::equation;
    constexpr auto S = state<"S", units, 7>;
    constexpr auto a = x * W<"a">;
    constexpr auto k = x * W<"k">;
    constexpr auto v = x * matrix<"V", 7>;
    // k (diag(a) S), and with one more scale; the state is scaled as before
    BOTH(summed(sluice::lines(next(S) = column(a) * S, output = k * (column(a) * S))) == std::pair(1, true));
    BOTH(summed(sluice::lines(next(S) = column(a) * S, output = k * ((S * column(a)) * column(k)))) ==
         std::pair(1, true));
    // a vector in rows is another one
    BOTH(summed(sluice::lines(next(S) = S, output = k * (row(v) * S))) == std::pair(2, true));
    BOTH(summed(sluice::lines(next(S) = S, output = k * (column(a) * (row(v) * S)))) == std::pair(2, true));
}

} // namespace fuse_test
