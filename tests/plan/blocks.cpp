// SPDX-License-Identifier: BSL-1.0
// Levels, which pointwise nodes are computed together, and the order of tasks.
#include <doctest/doctest.h>
#include <sluice/plan/blocks.hpp>
#include <sluice/plan/plans.hpp>
#include <support/matrix_cells.hpp>
#include <support/plan_text.hpp>

namespace blocks_test {

using graph_text::lines;

namespace {

struct fed_with_itself {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        constexpr auto k = gate<"k">;
        constexpr auto S = state<"S", units, units>;
        return sluice::lines(k = x * W<"k">, next(S) = S + outer(k, k * S), output = k * next(S));
    }();
};

std::string tasks_of(std::string const& text) {
    plan_text::passes p(text);
    sluice::accumulation_map const none(p.of.s.g.size());
    sluice::read_map const reads(p.of.s, p.phases, p.rematerialized, none);
    auto blocks = sluice::find_blocks(p.of.s, p.phases, p.rematerialized, none, reads);
    sluice::add_tasks(p.of.s, p.phases, none, blocks);
    return plan_text::tasks_text(p, blocks);
}

} // namespace

TEST_CASE("blocks: two levels where a product reads what a block computes") {
    CHECK(tasks_of(R"(
        x = input [T B input]
        h = state [T B units]
        W = parameter [input x units]
        R = parameter [units x units]
        v1 = product x W [T B units]
        v2 = add v1 h [T B units]
        v3 = sigmoid v2 [T B units]
        v4 = product v3 R [T B units]
        v5 = tanh v4 [T B units]
        gives output v5
        gives next(h) v5
    )") == lines(R"(
        before 1: product v1
        loop 0: block [B units] v2 v3
        loop 1: product v4
        loop 1: block [B units] v5
    )"));
}

TEST_CASE("blocks: a value goes into the latest block that its readers allow, and needs none of its own") {
    CHECK(tasks_of(R"(
        x = input [T B 5]
        h = state [T B 5]
        R = parameter [5 x 5]
        v1 = tanh x [T B 5]
        v2 = multiply h h [T B 5]
        v3 = product h R [T B 5]
        v4 = add v2 v3 [T B 5]
        gives output v4
        gives next(h) v4
    )") == lines(R"(
        loop 1: product v3
        loop 1: block [B 5] v2 v4
    )")); // v1 is not wanted
}

TEST_CASE("blocks: a reduction is computed along with the rows that it sums") {
    CHECK(tasks_of(R"(
        x = input [T B 5]
        h = state [T B 5]
        v1 = add x h [T B 5]
        v2 = sum v1 [T B]
        v3 = exp v2 [T B]
        v4 = multiply v1 v3 [T B 5]
        gives output v4
        gives next(h) v4
    )") == "loop 0: block [B 5] v1 v2 v3 v4\n");
}

TEST_CASE("blocks: one for each width, for what has no rows, and for what does not change with time") {
    CHECK(tasks_of(R"(
        x = input [T B 3]
        h = state [T B 5]
        s = parameter [5]
        v1 = exp s [5]
        v2 = exp x [T B 3]
        v3 = tanh x [T B 3]
        v4 = sum v3 [T B]
        v5 = multiply v1 h [T B 5]
        v6 = multiply v4 v5 [T B 5]
        gives output v2
        gives next(h) v6
    )") == lines(R"(
        before 0: block [5] v1
        before 0: block [B 3] v2 v3 v4
        loop 0: block [B 5] v5 v6
    )"));
}

TEST_CASE("blocks: where rows of another width are read, a block comes after the one that writes them") {
    CHECK(tasks_of(R"(
        h = state [T B 5]
        k = state [T B 3]
        v1 = tanh h [T B 5]
        v2 = sum v1 [T B]
        v3 = multiply k v2 [T B 3]
        v4 = sum v3 [T B]
        v5 = multiply v1 v4 [T B 5]
        gives output v5
        gives next(h) v5
        gives next(k) v3
    )") == lines(R"(
        loop 0: block [B 5] v1 v2
        loop 1: block [B 3] v3 v4
        loop 2: block [B 5] v5
    )"));
}

TEST_CASE("blocks: what lies side by side is read after all blocks that write a part of it") {
    CHECK(tasks_of(R"(
        h = state [T B 5]
        k = state [T B 3]
        v1 = tanh h [T B 5]
        v2 = exp k [T B 3]
        v3 = concat v1 v2 [T B 8]
        v4 = tanh v3 [T B 8]
        v5 = slice v4 [T B 5]
        v6 = slice v4 from 5 [T B 3]
        v7 = copy v5 [T B 5]
        v8 = copy v6 [T B 3]
        gives output v3
        gives next(h) v7
        gives next(k) v8
    )") == lines(R"(
        loop 0: block [B 5] v1
        loop 0: block [B 3] v2
        loop 1: block [B 8] v4
        loop 2: block [B 5] v7
        loop 2: block [B 3] v8
    )"));
}

TEST_CASE("blocks: what reads a part of a delay comes after the block that writes its result") {
    CHECK(tasks_of(R"(
        x = input [T B 5]
        y = input [T B 3]
        h = state [T B 5]
        k = state [T B 5]
        W = parameter [3 x 5]
        v1 = exp y [T B 3]
        v2 = product v1 W [T B 5]
        v3 = tanh v2 [T B 5]
        v4 = tanh x [T B 5]
        v5 = slice h [T B 3]
        v6 = tanh v5 [T B 3]
        gives output v6
        gives next(h) v4
        gives next(k) v3
    )") == lines(R"(
        before 0: block [B 5] v4
        before 0: block [B 3] v1
        before 1: product v2
        before 1: block [B 5] v3
        before 1: block [B 3] v6
    )"));
}

TEST_CASE("blocks: sums over time and outer products are tasks after the loop") {
    CHECK(tasks_of(R"(
        h = state [T B 5]
        R = parameter [5 x 5]
        v1 = product h R [T B 5]
        d1 = cotangent 0 [T B 5]
        d2 = cotangent 1 [T B 5]
        v2 = add d1 d2 [T B 5]
        v3 = transpose R [5 x 5]
        v4 = product v2 v3 [T B 5]
        v5 = outer h v2 [5 x 5]
        v6 = total v2 [5]
        gives output v1
        gives next(h) v1
        start d1
        backward
        carries d2 v4
        wants v4 last
        wants v5 total
        wants v6 total
    )") == lines(R"(
        loop 0: block [B 5] v2
        loop 1: product v4
        after 1: outer v5
        after 1: total v6
    )"));
}

TEST_CASE("blocks: a product knows its weight, a part of it, and its transpose") {
    plan_text::passes p(R"(
        x = input [T B 3]
        W = parameter [7 x 4]
        v1 = slice W from 4 [7 x 3]
        v2 = transpose v1 [3 x 7]
        v3 = product x v2 [T B 7]
        gives output v3
    )");
    sluice::accumulation_map const none(p.of.s.g.size());
    sluice::read_map const reads(p.of.s, p.phases, p.rematerialized, none);
    auto blocks = sluice::find_blocks(p.of.s, p.phases, p.rematerialized, none, reads);
    sluice::add_tasks(p.of.s, p.phases, none, blocks);
    REQUIRE(blocks.tasks.size() == 1);
    sluice::task const& t = blocks.tasks[0];
    CHECK(p.label(t.weight) == "W");
    CHECK(t.transposed);
    CHECK(graph_text::detail::width_text(p.of.s.g, t.from) == "4");
    CHECK(graph_text::detail::width_text(p.of.s.g, t.columns) == "3");
}

TEST_CASE("blocks: one pass over matrix values for what no sum has to wait for") {
    using sluice::plans, sluice::phase, sluice::task, sluice::task_kind;
    auto const passes = [](sluice::plan_view const& p) {
        int count = 0;
        for (task const& t : p.tasks)
            count +=
                t.when == phase::loop && t.kind == task_kind::block && p.is_matrix(p.blocks[t.block].columns);
        return count;
    };
    CHECK(passes(plans<matrix_cells::gated_attention>::inference) == 1);
    CHECK(passes(plans<matrix_cells::gated_attention>::backward) == 1);
    CHECK(passes(plans<fed_with_itself>::inference) == 2); // k S is there when all of S is read
    CHECK(passes(plans<fed_with_itself>::backward) == 2);
}

} // namespace blocks_test
