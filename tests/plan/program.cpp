// SPDX-License-Identifier: BSL-1.0
// What a block does: its loads, its instructions in their stages, and its stores.
#include <doctest/doctest.h>
#include <sluice/plan/make_plan.hpp>
#include <sluice/plan/plans.hpp>
#include <support/graph_text.hpp>
#include <support/matrix_cells.hpp>

namespace program_test {

using graph_text::lines;

namespace {

/// Of each block a line `block`, and one for each load, instruction and store; `row` marks one number for
/// each row, and `stage 1` the second pass over a row.
std::string programs_of(std::string const& text) {
    auto const of = graph_text::sweep_of(text);
    sluice::plan const p = sluice::make_plan(of.s);
    auto const label = graph_text::labels(of.s.g);
    std::ostringstream out;
    for (sluice::planned_block const& b : p.blocks) {
        out << "block of " << b.stages << '\n';
        int next = 0;
        for (int k = 0; k < b.loads.count; ++k) {
            sluice::block_load const& load = p.loads[b.loads.first + k];
            out << next++ << " load " << label(load.node) << (load.per_row ? " row" : "") << '\n';
        }
        for (int k = 0; k < b.code.count; ++k) {
            sluice::instruction const& one = p.code[b.code.first + k];
            out << next++ << ' ';
            out << (one.function >= 0 ? of.s.g.operations[one.function].called.view()
                                      : sluice::about(one.kind).word);
            if (one.kind == sluice::op::number)
                out << ' ' << one.value;
            for (int o = 0; o < one.operands.count; ++o)
                out << ' ' << p.registers[one.operands.first + o];
            out << (one.per_row ? " row" : "");
            if (one.stage > 0)
                out << " stage " << one.stage;
            out << '\n';
        }
        for (int k = 0; k < b.stores.count; ++k) {
            sluice::block_store const& store = p.stores[b.stores.first + k];
            out << "store " << store.from << " as " << label(store.node) << (store.per_row ? " row" : "")
                << '\n';
        }
    }
    return out.str();
}

} // namespace

TEST_CASE("program: loads first, then what is computed, operands first, and what leaves the block") {
    CHECK(programs_of(R"(
        x = input [T B 5]
        h = state [T B 5]
        v1 = number 1 []
        v2 = sigmoid x [T B 5]
        v3 = subtract v1 v2 [T B 5]
        v4 = multiply v3 h [T B 5]
        gives output v4
        gives next(h) v4
    )") == lines(R"(
        block of 1
        0 load x
        1 sigmoid 0
        store 1 as v2
        block of 1
        0 load h
        1 load v2
        2 number 1 row
        3 subtract 2 1
        4 multiply 3 0
        store 4 as v4
    )")); // v3 is recomputed; v2, before the loop, is not
}

TEST_CASE("program: a reduction ends a stage, and what reads it is in the next") {
    CHECK(programs_of(R"(
        x = input [T B 5]
        h = state [T B 5]
        v1 = add x h [T B 5]
        v2 = sum v1 [T B]
        v3 = exp v2 [T B]
        v4 = multiply v1 v3 [T B 5]
        gives output v4
        gives next(h) v4
    )") == lines(R"(
        block of 2
        0 load x
        1 load h
        2 add 0 1
        3 sum 2 row
        4 exp 3 row stage 1
        5 multiply 2 4 stage 1
        store 5 as v4
    )"));
}

TEST_CASE("program: a function of a whole row is stored, and read in the stage after it") {
    CHECK(programs_of(R"(
        h = state [T B 4]
        v1 = tanh h [T B 4]
        v2 = max v1 groups 2 [T B 4]
        v3 = subtract v1 v2 [T B 4]
        gives output v3
        gives next(h) v3
    )") == lines(R"(
        block of 2
        0 load h
        1 tanh 0
        2 max 1
        3 subtract 1 2 stage 1
        store 2 as v2
        store 3 as v3
    )"));
}

TEST_CASE("program: a number of each row is loaded and stored as one") {
    CHECK(programs_of(R"(
        x = input [T B]
        h = state [T B 4]
        v1 = multiply x h [T B 4]
        v2 = sum v1 [T B]
        gives output v2
        gives next(h) v1
    )") == lines(R"(
        block of 1
        0 load x row
        1 load h
        2 multiply 0 1
        store 2 as v1
        block of 1
        0 load v1
        1 sum 0 row
        store 1 as v2 row
    )"));
}

TEST_CASE("program: a part of two things side by side is stored in both places") {
    CHECK(programs_of(R"(
        h = state [T B 5]
        R = parameter [8 x 5]
        v1 = tanh h [T B 5]
        v2 = exp h [T B 3]
        v3 = concat v1 v2 [T B 8]
        v4 = concat v2 v1 [T B 8]
        v5 = product v3 R [T B 5]
        v6 = product v4 R [T B 5]
        v7 = multiply v5 v6 [T B 5]
        gives next(h) v7
    )") == lines(R"(
        block of 1
        0 load h
        1 tanh 0
        store 1 as v1
        store 1 as v1
        block of 1
        0 load h
        1 exp 0
        store 1 as v2
        store 1 as v2
        block of 1
        0 load v5
        1 load v6
        2 multiply 0 1
        store 2 as v7
    )"));
}

TEST_CASE("program: vectors stand in matrix values, and are sums over them") {
    using all = sluice::plans<matrix_cells::gated_attention>;
    sluice::plan_view const p = all::inference;
    sluice::planned_block const* pass = nullptr;
    for (sluice::planned_block const& b : p.blocks)
        if (p.is_matrix(b.columns))
            pass = &b;
    REQUIRE(pass != nullptr);
    std::ostringstream out;
    char const* const how[] = {"as wide", "in columns", "in rows"};
    for (sluice::block_load const& load : p.loads.part(pass->loads.first, pass->loads.count)) {
        sluice::axes const& shape = all::graph[load.node].shape;
        out << how[static_cast<int>(load.how)] << (p.is_matrix(shape.columns) ? ", a matrix\n" : "\n");
    }
    for (sluice::block_store const& store : p.stores.part(pass->stores.first, pass->stores.count))
        out << "store " << how[static_cast<int>(store.how)] << '\n';
    // Z, k, q, v and f; Z' and the output, a sum over rows
    CHECK(out.str() == "as wide, a matrix\nin columns\nin columns\nin rows\nin columns\n"
                       "store as wide\nstore in rows\n");
}

} // namespace program_test
