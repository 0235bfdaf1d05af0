// SPDX-License-Identifier: BSL-1.0
// The instructions of a block as lines of C++, of programs that the planner makes of graphs in text.
#include <sluice/source/block_code.hpp>

#include <doctest/doctest.h>
#include <sluice/plan/make_plan.hpp>
#include <support/graph_text.hpp>

namespace block_code_test {

namespace {

using operations = graph_text::operations;

/// The lines of all instructions of the only block of a sweep, and what it stores.
template <class Number>
std::string code_of(std::string const& text, int first_count = 0) {
    auto const of = graph_text::sweep_of(text);
    sluice::plan const p = sluice::make_plan(of.s);
    REQUIRE(p.blocks.size() == 1);
    sluice::plan_view const seen = sluice::view_of(p);
    sluice::detail::block_code<Number> code(
        seen, 0, sluice::detail::traced_functions_of<operations, Number>(), first_count);
    for (int i = 0; i < code.block_.code.count; ++i)
        code.compute(i, 1);
    for (int i = 0; i < code.block_.stores.count; ++i)
        code.line(0, "store ", i, ": ", code.value_text(code.block_.stores[i].from));
    return code.text_;
}

} // namespace

TEST_CASE("block code: registers are constants, numbers stand where they are read, in their type") {
    char const* const text = R"(
        x = input [T B 5]
        h = state [T B 5]
        v1 = number 0.5 []
        v2 = multiply v1 x [T B 5]
        v3 = add v2 h [T B 5]
        v4 = sigmoid v3 [T B 5]
        gives output v4
        gives next(h) v4
    )";
    CHECK(code_of<float>(text) == "    number const r3 = 0.5f * r0;\n"
                                  "    number const r4 = r3 + r1;\n"
                                  "    number const r5 = 1.0f / (1.0f + expf(-r4));\n"
                                  "store 0: r5\n");
    CHECK(code_of<double>(text) == "    number const r3 = 0.5 * r0;\n"
                                   "    number const r4 = r3 + r1;\n"
                                   "    number const r5 = 1.0 / (1.0 + exp(-r4));\n"
                                   "store 0: r5\n");
}

TEST_CASE("block code: features are read from the frame, after the counts of other blocks") {
    char const* const text = R"(
        x = input [T B units]
        h = state [T B units]
        v1 = add x h [T B units]
        v2 = features v1 []
        v3 = divide v1 v2 [T B units]
        gives output v3
        gives next(h) v3
    )";
    CHECK(code_of<float>(text).find("= (number)f.counts[0];\n") != std::string::npos);
    CHECK(code_of<float>(text, 3).find("= (number)f.counts[3];\n") != std::string::npos);
}

} // namespace block_code_test
