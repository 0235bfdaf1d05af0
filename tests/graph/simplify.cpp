// SPDX-License-Identifier: BSL-1.0
// What is made simpler while a graph is written: one case for each rule, and the look-alikes that are left as
// they are.
#include <doctest/doctest.h>
#include <sluice/graph/simplify.hpp>
#include <support/graph_text.hpp>

namespace simplify_test {

using graph_text::lines;

namespace {

/// A graph with leaves to work on: a and c of 3 features, m a matrix, and the numbers.
struct start {
    sluice::detail::simplified_graph s{graph_text::graph_of(R"(
        a = input [T B 3]
        c = state [T B 3]
        m = parameter [3 x 5]
    )")};
    int a = 0, c = 1, m = 2;

    /// The text of what came after the leaves.
    std::string text() const {
        std::string const all = graph_text::text_of(s.g.seen());
        return all.substr(all.find("5]\n") + 3);
    }
};

} // namespace

TEST_CASE("simplify: a factor of 1 is left out, of -1 is a sign, of 0 is 0") {
    start t;
    CHECK(t.s.multiply(t.s.number(1), t.a) == t.a);
    CHECK(t.s.multiply(t.a, t.s.number(1)) == t.a);
    int const minus = t.s.multiply(t.s.number(-1), t.a);
    CHECK(t.s.multiply(t.a, t.s.number(-1)) == minus);
    CHECK(t.s.g.is(minus, sluice::f_negate));
    CHECK(t.s.g.is_number(t.s.multiply(t.a, t.s.number(0)), 0));
    CHECK(t.s.g.is_number(t.s.multiply(t.s.zero(t.s.g[t.a].shape), t.a), 0));
    int const half = t.s.multiply(t.s.number(0.5), t.a);
    CHECK(t.s.g.is(half, sluice::f_multiply));
}

TEST_CASE("simplify: a sum with a sign is a difference, and two signs are none") {
    start t;
    int const minus_c = t.s.negate(t.c);
    CHECK(t.s.negate(minus_c) == t.c);
    t.s.add(t.a, minus_c);
    t.s.add(minus_c, t.a);
    t.s.add(t.a, t.c);
    CHECK(t.text() == lines(R"(
        v1 = negate c [T B 3]
        v2 = subtract a c [T B 3]
        v3 = add a c [T B 3]
    )"));
}

TEST_CASE("simplify: a transpose of a transpose is the matrix") {
    start t;
    int const turned = t.s.transpose(t.m);
    CHECK(t.s.transpose(turned) == t.m);
    CHECK(t.text() == "v1 = transpose m [5 x 3]\n");
}

TEST_CASE("simplify: columns that are all of a value, or a part of a concat, are that; others are a slice") {
    start t;
    sluice::graph& g = t.s.g;
    int const three = g.intern(sluice::width(std::size_t(3))), six = g.intern(sluice::width(std::size_t(6)));
    sluice::axes shape = g[t.a].shape;
    CHECK(t.s.slice(t.a, -1, shape, sluice::no_axis) == t.a);
    shape.columns = six;
    int const both = g.add({.kind = sluice::op::concat, .shape = shape}, {t.a, t.c});
    shape.columns = three;
    CHECK(t.s.slice(both, -1, shape, sluice::no_axis) == t.a);
    CHECK(t.s.slice(both, three, shape, sluice::no_axis) == t.c);
    int const one = g.intern(sluice::width(std::size_t(1)));
    CHECK(g[t.s.slice(both, one, shape, sluice::no_axis)].kind == sluice::op::slice); // across the parts
    CHECK(g[t.s.slice(both, -1, shape, three)].kind == sluice::op::slice);            // within groups
}

TEST_CASE("simplify: what lacks an axis is spread, zeros are zeros of the whole shape") {
    start t;
    sluice::axes const shape = t.s.g[t.a].shape;
    CHECK(t.s.full(t.a, shape) == t.a);
    CHECK(t.s.g[t.s.full(t.s.number(0), shape)].kind == sluice::op::zero);
    CHECK(t.s.g[t.s.full(t.s.number(2), shape)].kind == sluice::op::spread);
}

} // namespace simplify_test
