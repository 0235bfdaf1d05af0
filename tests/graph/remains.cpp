// SPDX-License-Identifier: BSL-1.0
// What remains of equations that are refused: leaves with their names, states that stay as they are, an
// output, and the problem.
#include <doctest/doctest.h>
#include <sluice/graph/remains.hpp>
#include <support/graph_text.hpp>

namespace remains_test {

using graph_text::lines;

namespace {

std::string remains(std::string const& text) {
    sluice::graph const g = graph_text::graph_of(text);
    sluice::problem const trouble{.why = sluice::reason::unknown_gate, .gate = sluice::name("f")};
    sluice::shaped_graph const made = sluice::remains_of(g.seen(), trouble);
    CHECK(made.shaped.trouble.why == sluice::reason::unknown_gate);
    CHECK(made.shaped.trouble.gate == sluice::name("f"));
    return graph_text::text_of(made.shaped.seen());
}

} // namespace

TEST_CASE("remains: every leaf with a name, each state as its next value, the first input as the output") {
    CHECK(remains(R"(
        W = parameter [3 x ?]
        x = input [T B 3]
        h = state [T B units]
        v1 = product x W [T B ?]
        y = input [T B 2]
        c = state [T B 4]
        s = setting []
        v2 = number 3 []
        line next(h) v1
    )") == lines(R"(
        W = parameter [3 x units]
        x = input [T B 3]
        h = state [T B units]
        y = input [T B 2]
        c = state [T B 4]
        s = setting []
        gives output x
        gives next(h) h
        gives next(c) c
    )"));
}

TEST_CASE("remains: without an input the output is x, as wide as the input of a cell") {
    CHECK(remains("h = state [T B units]\n b = parameter bias [?]") == lines(R"(
        h = state [T B units]
        b = parameter bias [units]
        x = input [T B input]
        gives output x
        gives next(h) h
    )"));
    CHECK(remains("") == "x = input [T B input]\ngives output x\n");
}

} // namespace remains_test
