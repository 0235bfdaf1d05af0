// SPDX-License-Identifier: BSL-1.0
// How wide every value is, what has to be checked when sizes are known, and what is refused.
#include <doctest/doctest.h>
#include <sluice/graph/passes.hpp>
#include <sluice/graph/shape.hpp>
#include <support/graph_text.hpp>
#include <support/matrix_cells.hpp>

namespace shape_test {

using graph_text::lines;
using sluice::reason;

namespace {

sluice::shaped_graph shaped_of(std::string const& text) {
    return sluice::give_shapes(graph_text::graph_of(text).seen());
}
/// With a line for each constraint.
std::string shaped(std::string const& text) {
    auto const s = shaped_of(text);
    std::string all = graph_text::text_of(s.shaped.seen());
    for (sluice::width_constraint const& c : s.constraints)
        all += graph_text::detail::width_text(s.shaped.seen(), c.left) + " is " +
               graph_text::detail::width_text(s.shaped.seen(), c.right) + '\n';
    return all;
}
reason refused(std::string const& text) {
    return shaped_of(text).shaped.trouble.why;
}

} // namespace

TEST_CASE(
    "shape: a matrix has the rows of what it multiplies and the columns of what the product is added to") {
    CHECK(shaped(R"(
        x = input [T B input]
        h = state [T B units]
        W = parameter [? x ?]
        b = parameter bias [?]
        v1 = product x W [T B ?]
        v2 = add v1 b [T B ?]
        v3 = add v2 h [T B ?]
        gives output v3
        gives next(h) v3
    )") == lines(R"(
        x = input [T B input]
        h = state [T B units]
        W = parameter [input x units]
        b = parameter bias [units]
        v1 = product x W [T B units]
        v2 = add v1 b [T B units]
        v3 = add v2 h [T B units]
        gives output v3
        gives next(h) v3
    )"));
}

TEST_CASE(
    "shape: a next state says how wide what it is made of is; what nothing says anything of has the units") {
    CHECK(shaped(R"(
        x = input [T B input]
        m = state [T B projection]
        W = parameter [? x ?]
        V = parameter [? x ?]
        v1 = product x W [T B ?]
        v2 = product x V [T B ?]
        gives output v2
        gives next(m) v1
    )") == lines(R"(
        x = input [T B input]
        m = state [T B projection]
        W = parameter [input x projection]
        V = parameter [input x units]
        v1 = product x W [T B projection]
        v2 = product x V [T B units]
        gives output v2
        gives next(m) v1
    )"));
}

TEST_CASE(
    "shape: what stands side by side has the sum of the widths, also where the whole says what a part is") {
    CHECK(shaped(R"(
        x = input [T B input]
        h = state [T B units]
        W = parameter [? x 3]
        v1 = concat x h [T B ?]
        v2 = product v1 W [T B ?]
        gives output v2
    )") == lines(R"(
        x = input [T B input]
        h = state [T B units]
        W = parameter [input+units x 3]
        v1 = concat x h [T B input+units]
        v2 = product v1 W [T B 3]
        gives output v2
    )"));
}

TEST_CASE("shape: a transpose has the widths of its matrix the other way round, and its groups") {
    CHECK(shaped(R"(
        h = state [T B units]
        R = parameter [4: ? x 3]
        v1 = transpose R [? x ?]
        v2 = product h R [T B ?]
        v3 = product v2 v1 [T B ?]
        gives output v2
        gives next(h) v3
    )") == lines(R"(
        h = state [T B units]
        R = parameter [4: units x 3]
        v1 = transpose R [4: 3 x units]
        v2 = product h R [T B 3]
        v3 = product v2 v1 [T B units]
        gives output v2
        gives next(h) v3
    )"));
}

TEST_CASE(
    "shape: a number that meets a symbol is checked when sizes are known; two numbers, or symbols, now") {
    CHECK(shaped(R"(
        x = input [T B input]
        v = parameter [7]
        v1 = add x v [T B ?]
        gives output v1
    )")
              .ends_with("input is 7\n"));
    CHECK(refused(R"(
        x = input [T B input]
        h = state [T B units]
        v1 = add x h [T B ?]
        gives output v1
    )") == reason::mismatched_widths);
    CHECK(refused(R"(
        x = input [T B 3]
        v = parameter [7]
        v1 = add x v [T B ?]
        gives output v1
    )") == reason::mismatched_widths);
}

TEST_CASE("shape: one feature is a number of its row, which meets any width") {
    CHECK(shaped(R"(
        x = input [T B input]
        h = state [T B units]
        c = state [T B 1]
        W = parameter [? x 1]
        Z = parameter [? x ?]
        b = parameter bias [?]
        v1 = product x W [T B ?]
        v2 = add v1 b [T B ?]
        v3 = product x Z [T B ?]
        v4 = multiply v2 v3 [T B ?]
        v5 = multiply c h [T B ?]
        v6 = add v4 v5 [T B ?]
        v7 = multiply v2 c [T B ?]
        gives output v6
        gives next(h) v6
        gives next(c) v7
    )") == lines(R"(
        x = input [T B input]
        h = state [T B units]
        c = state [T B 1]
        W = parameter [input x 1]
        Z = parameter [input x units]
        b = parameter bias [1]
        v1 = product x W [T B 1]
        v2 = add v1 b [T B 1]
        v3 = product x Z [T B units]
        v4 = sum v2 [T B]
        v5 = multiply v4 v3 [T B units]
        v6 = sum c [T B]
        v7 = multiply v6 h [T B units]
        v8 = add v5 v7 [T B units]
        v9 = multiply v2 c [T B 1]
        gives output v8
        gives next(h) v8
        gives next(c) v9
    )"));
}

TEST_CASE("shape: a state of one feature says so of what it is made of") {
    std::string const all = shaped(R"(
        x = input [T B input]
        h = state [T B units]
        c = state [T B 1]
        W = parameter [? x ?]
        Z = parameter [? x ?]
        v1 = product x W [T B ?]
        v2 = product x Z [T B ?]
        v3 = add v1 c [T B ?]
        v4 = add v3 v2 [T B ?]
        v5 = tanh v4 [T B ?]
        v6 = multiply v5 h [T B ?]
        gives output v6
        gives next(c) v5
    )");
    CHECK(all.find("W = parameter [input x 1]") != std::string::npos);
    CHECK(all.find("Z = parameter [input x 1]") != std::string::npos);
    CHECK(all.find("sum v5 [T B]") != std::string::npos);
}

TEST_CASE("shape: an open width beside one feature is one, and is not guessed where that would matter") {
    std::string const leaves = R"(
        x = input [T B input]
        h = state [T B units]
        W = parameter [? x 1]
        Z = parameter [? x ?]
        v1 = product x W [T B ?]
        v2 = product x Z [T B ?]
    )";
    auto const of = [&](std::string const& rest) { return shaped(leaves + rest); };
    auto const trouble = [&](std::string const& rest) { return refused(leaves + rest); };
    std::string const one = "Z = parameter [input x 1]", as_units = "Z = parameter [input x units]";
    CHECK(of("v3 = add v1 v2 [T B ?]\ngives output v3").find(one) != std::string::npos);
    CHECK(of("v3 = multiply v1 v2 [T B ?]\ngives output v3").find(one) != std::string::npos);
    CHECK(of("v3 = multiply v1 v2 [T B ?]\nv4 = tanh v3 [T B ?]\ngives output v4\ngives next(h) v4")
              .find(as_units) != std::string::npos);
    CHECK(of("v3 = concat v2 h [T B ?]\nv4 = multiply v1 v3 [T B ?]\ngives output v4").find(as_units) !=
          std::string::npos);
    CHECK(of("v3 = multiply v1 v2 [T B ?]\nv4 = concat v3 h [T B ?]\ngives output v4").find(one) !=
          std::string::npos);
    std::string const sum = "v3 = add v1 v2 [T B ?]\n";
    CHECK(trouble(sum + "v4 = multiply v3 h [T B ?]\ngives output v4") == reason::open_beside_one);
    CHECK(trouble(sum + "v4 = tanh v3 [T B ?]\ngives output v4\ngives next(h) v4") ==
          reason::open_beside_one);
    CHECK(trouble(sum + "v4 = sum v3 [T B]\nv5 = multiply v4 h [T B ?]\ngives output v5") == reason::none);
}

TEST_CASE("shape: matrices where vectors are due, and the other way round") {
    std::string const leaves = R"(
        x = input [T B input]
        A = parameter [? x ?]
        C = parameter [4: ? x ?]
        b = parameter bias [?]
        s = parameter []
    )";
    auto const trouble = [&](std::string const& rest) { return refused(leaves + rest); };
    CHECK(trouble("v1 = add A C [? x ?]") == reason::mismatched_groups);
    CHECK(trouble("v1 = add x A [T B ? x ?]") == reason::matrix_outside_product);
    CHECK(trouble("v1 = tanh A [? x ?]") == reason::matrix_function);
    CHECK(trouble("v1 = multiply A A [? x ?]") == reason::two_matrices);
    CHECK(trouble("v1 = multiply s A [? x ?]") == reason::matrix_function); // trained
    CHECK(
        trouble("v1 = number 2 []\nv2 = multiply v1 A [? x ?]\nv3 = product x v2 [T B ?]\ngives output v3") ==
        reason::none);
    CHECK(trouble("v1 = multiply x b [T B ?]") == reason::product_with_bias);
    CHECK(trouble("v1 = product b A [?]") == reason::product_with_bias);
    CHECK(trouble("v1 = product s A [?]") == reason::product_without_row);
    CHECK(trouble("v1 = sum x [T B]\nv2 = product v1 A [T B ?]") == reason::product_without_features);
    CHECK(trouble("v1 = sum s []") == reason::without_features);
    CHECK(trouble("v1 = sum A []") == reason::matrix_outside_product);
    CHECK(trouble("v1 = transpose x [T B ?]") == reason::transposed_without_matrix);
    CHECK(trouble("v1 = concat x A [T B ?]") == reason::matrix_outside_product);
}

TEST_CASE("shape: a slice of numbers ends within what it cuts, also near the largest number") {
    auto const slice = [](std::string const& whole, std::string const& from, std::string const& part) {
        return refused("x = input [T B " + whole + "]\nv1 = slice x from " + from + " [T B " + part +
                       "]\ngives output v1");
    };
    CHECK(slice("5", "2", "3") == reason::none);
    CHECK(slice("5", "3", "3") == reason::slice_beyond);
    CHECK(slice("5", "18446744073709551615", "3") == reason::slice_beyond);
    CHECK(slice("5", "3", "18446744073709551615") == reason::slice_beyond);
    CHECK(slice("input", "3", "3") == reason::none); // checked when the input is known
}

TEST_CASE(
    "shape: one name for an input and a parameter is refused, and one that is fixed in one place only") {
    CHECK(refused("x = input [T B 3]\nv1 = tanh x [T B ?]\ngives output v1") == reason::none);
    sluice::graph g = graph_text::graph_of("x = input [T B 3]\ngives output x");
    g.add({.kind = sluice::op::parameter, .shape = {.columns = sluice::open_axis}, .index = 0});
    CHECK(sluice::give_shapes(g.seen()).shaped.trouble.why == reason::one_name_twice);
    sluice::graph p = graph_text::graph_of("W = parameter [3]\ngives output W");
    p.add({.kind = sluice::op::parameter, .shape = p[0].shape, .index = 0, .fixed = true});
    CHECK(sluice::give_shapes(p.seen()).shaped.trouble.why == reason::fixed_and_trained);
}

TEST_CASE("shape: matrix values are laid out as vectors of their rows") {
    using page = matrix_cells::gated_attention;
    constexpr auto const& g = sluice::passes<page>::graph;
    constexpr sluice::sizes n{.input = 3, .own = {{"keys", 15}, {"values", 21}, {"heads", 3}}};
    constexpr auto states = sluice::passes<page>::states;
    static_assert(extent(states[0].columns, n) == 3 * 5 * 7);
    CHECK(extent(states[0].columns, n) == 3 * 5 * 7);
    for (sluice::node const& of : g.nodes) {
        CHECK(!of.shape.is_value);
        if (of.kind == sluice::op::repeat)
            CHECK(g.extent(of.shape.columns, n) == 105);
        if (of.kind == sluice::op::fold) // q * next(Z)
            CHECK(g.extent(of.shape.columns, n) == 21);
    }
    // From the other side: M * k has the width of the units.
    constexpr auto const& both = sluice::passes<matrix_cells::mixed>::graph;
    constexpr sluice::sizes m{.input = 3, .units = 10, .own = {{"values", 6}, {"heads", 2}}};
    for (sluice::node const& of : both.nodes)
        if (of.kind == sluice::op::fold)
            CHECK(both.extent(of.shape.columns, m) ==
                  (of.stands(sluice::equation::stands::as_column) ? 10u : 6u));
}

} // namespace shape_test
