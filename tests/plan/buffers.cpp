// SPDX-License-Identifier: BSL-1.0
// Where values lie: the rules of plan/buffers.hpp, one case for each. Buffers are numbered in the order in
// which they are made; what is in one slot shares memory.
#include <doctest/doctest.h>
#include <sluice/plan/buffers.hpp>
#include <support/plan_text.hpp>

namespace buffers_test {

using graph_text::lines;

namespace {

/// With products accumulated where `accumulate` is set and that can be.
std::string places_of(std::string const& text, bool accumulate = false) {
    plan_text::passes p(text);
    sluice::accumulation_map const sums =
        accumulate ? sluice::find_accumulable(p.of.s, p.phases) : sluice::accumulation_map(p.of.s.g.size());
    if (accumulate)
        p.phases.order = sluice::with_products_last(p.phases.order, sums);
    sluice::read_map const reads(p.of.s, p.phases, p.rematerialized, sums);
    auto blocks = sluice::find_blocks(p.of.s, p.phases, p.rematerialized, sums, reads);
    sluice::add_tasks(p.of.s, p.phases, sums, blocks);
    auto const memory = sluice::find_buffers(p.of.s, p.phases, p.rematerialized, sums, reads, blocks);
    std::string saved;
    for (int const i : memory.saved)
        saved += "saved " + p.label(i) + '\n';
    return plan_text::memory_text(p, memory) + saved;
}

} // namespace

TEST_CASE("buffers: what only its own block reads lies nowhere; a state lies where its next value is, one "
          "step before") {
    CHECK(places_of(R"(
        h = state [T B 5]
        v1 = tanh h [T B 5]
        v2 = add v1 h [T B 5]
        carries h v2
        wants v2 last
    )") == lines(R"(
        h: 1 one step before
        v2: 1
        buffer 1: [B 5] slot 1
    )"));
}

TEST_CASE("buffers: what is wanted of all time steps is a tape, and so is what another phase reads") {
    CHECK(places_of(R"(
        x = input [T B 3]
        h = state [T B 5]
        W = parameter [3 x 5]
        V = parameter [5 x 2]
        v1 = product x W [T B 5]
        v2 = add v1 h [T B 5]
        v3 = product v2 V [T B 2]
        gives output v3
        gives next(h) v2
    )") == lines(R"(
        h: 2 one step before
        v1: 1
        v2: 2
        v3: 3
        buffer 1: [T B 5] slot 1
        buffer 2: [T B 5] slot 2
        buffer 3: [T B 2] slot 3
    )"));
}

TEST_CASE("buffers: the parts of a concat are written where it lies, and read there") {
    CHECK(places_of(R"(
        x = input [T B 3]
        h = state [T B 5]
        R = parameter [8 x 5]
        v1 = copy x [T B 3]
        v2 = tanh h [T B 5]
        v3 = concat v1 v2 [T B 8]
        v4 = product v3 R [T B 5]
        carries h v4
        wants v4 last
    )") == lines(R"(
        h: 2 one step before
        v1: 1
        v2: 1 from 3
        v3: 1
        v4: 2
        buffer 1: [T B 8] slot 1
        buffer 2: [B 5] slot 2
    )")); // a tape, because v1 is computed before the loop
}

TEST_CASE("buffers: a concat that is a part of a longer one lies in it; with the parts in another order it "
          "does not") {
    std::string const parts = R"(
        h = state [T B 5]
        R = parameter [8 x 5]
        Q = parameter [10 x 5]
        v1 = tanh h [T B 5]
        v2 = exp h [T B 3]
        v3 = sigmoid h [T B 2]
    )";
    CHECK(places_of(parts + R"(
        v4 = concat v1 v2 [T B 8]
        v5 = concat v3 v1 v2 [T B 10]
        v6 = product v4 R [T B 5]
        v7 = product v5 Q [T B 5]
        v8 = multiply v6 v7 [T B 5]
        carries h v8
        wants v8 last
    )") == lines(R"(
        h: 4 one step before
        v1: 1 from 2
        v2: 1 from 7
        v3: 1
        v4: 1 from 2
        v5: 1
        v6: 2
        v7: 3
        v8: 4
        buffer 1: [B 10] slot 1
        buffer 2: [B 5] slot 3
        buffer 3: [B 5] slot 4
        buffer 4: [B 5] slot 2
    )"));
    CHECK(places_of(parts + R"(
        v4 = concat v1 v2 [T B 8]
        v5 = concat v2 v1 [T B 8]
        v6 = product v4 R [T B 5]
        v7 = product v5 R [T B 5]
        v8 = multiply v6 v7 [T B 5]
        carries h v8
        wants v8 last
    )") == lines(R"(
        h: 5 one step before
        v1: 1, 2 from 3
        v2: 1 from 5, 2
        v4: 1
        v5: 2
        v6: 3
        v7: 4
        v8: 5
        buffer 1: [B 8] slot 1
        buffer 2: [B 8] slot 2
        buffer 3: [B 5] slot 4
        buffer 4: [B 5] slot 5
        buffer 5: [B 5] slot 3
    )"));
}

TEST_CASE(
    "buffers: a slice is a view of what it is a slice of, within groups too; one of an input lies nowhere") {
    CHECK(places_of(R"(
        x = input [T B 8]
        h = state [T B 4]
        W = parameter [2: 8 x 8]
        v1 = product x W [T B 8]
        v2 = slice v1 groups 2 [T B 4]
        v3 = slice v1 from 2 groups 2 [T B 4]
        v4 = slice x from 4 [T B 4]
        v5 = multiply v2 h [T B 4]
        v6 = multiply v3 v5 [T B 4]
        v7 = add v4 v6 [T B 4]
        gives output v7
        gives next(h) v7
    )") == lines(R"(
        h: 2 one step before
        v1: 1
        v2: 1 in groups of 2
        v3: 1 from 2 in groups of 2
        v7: 2
        buffer 1: [T B 8] slot 1
        buffer 2: [T B 4] slot 2
    )"));
}

TEST_CASE("buffers: a delay lies where the value is that it is a delay of") {
    CHECK(places_of(R"(
        x = input [T B 3]
        k = state [T B 3]
        v1 = add x k [T B 3]
        v2 = copy x [T B 3]
        gives output v1
        gives next(k) v2
    )") == lines(R"(
        k: 1 one step before
        v1: 2
        v2: 1
        buffer 1: [T B 3] slot 1
        buffer 2: [T B 3] slot 2
    )"));
}

TEST_CASE("buffers: a tape of the loop overwrites a hoisted product where that is read for the last time") {
    std::string const product = R"(
        x = input [T B 3]
        h = state [T B 5]
        W = parameter [3 x 5]
        R = parameter [5 x 5]
        v1 = product x W [T B 5]
        v2 = add v1 h [T B 5]
    )";
    SUBCASE("in one pass over a row") {
        CHECK(places_of(product + R"(
            v3 = tanh v2 [T B 5]
            v4 = multiply v3 h [T B 5]
            carries h v4
            wants v4 last
            wants v3 history
        )") == lines(R"(
            h: 2 one step before
            v1: 1
            v3: 1
            v4: 2
            buffer 1: [T B 5] slot 1
            buffer 2: [B 5] slot 2
        )"));
    }
    SUBCASE("not where a reduction makes the block read a row twice") {
        CHECK(places_of(product + R"(
            v3 = max v2 [T B]
            v4 = subtract v2 v3 [T B 5]
            v5 = multiply v4 h [T B 5]
            carries h v5
            wants v5 last
            wants v4 history
        )") == lines(R"(
            h: 3 one step before
            v1: 1
            v4: 2
            v5: 3
            buffer 1: [T B 5] slot 1
            buffer 2: [T B 5] slot 3
            buffer 3: [B 5] slot 2
        )"));
    }
    SUBCASE("not where the product is wanted too") {
        CHECK(places_of(product + R"(
            v3 = tanh v2 [T B 5]
            v4 = multiply v3 h [T B 5]
            carries h v4
            wants v1 history
            wants v4 last
            wants v3 history
        )") == lines(R"(
            h: 3 one step before
            v1: 1
            v3: 2
            v4: 3
            buffer 1: [T B 5] slot 1
            buffer 2: [T B 5] slot 3
            buffer 3: [B 5] slot 2
        )"));
    }
    SUBCASE("not where a later block still reads it") {
        CHECK(places_of(product + R"(
            v3 = tanh v2 [T B 5]
            v4 = product v3 R [T B 5]
            v5 = multiply v4 v1 [T B 5]
            carries h v5
            wants v5 last
            wants v3 history
        )") == lines(R"(
            h: 4 one step before
            v1: 1
            v3: 2
            v4: 3
            v5: 4
            buffer 1: [T B 5] slot 1
            buffer 2: [T B 5] slot 3
            buffer 3: [B 5] slot 4
            buffer 4: [B 5] slot 2
        )"));
    }
    SUBCASE("each slice of a fused product by itself") {
        CHECK(places_of(R"(
            x = input [T B 3]
            h = state [T B 5]
            W = parameter [3 x 5]
            U = parameter [3 x 5]
            v1 = concat W U [3 x 10]
            v2 = product x v1 [T B 10]
            v3 = slice v2 [T B 5]
            v4 = slice v2 from 5 [T B 5]
            v5 = add v3 h [T B 5]
            v6 = add v4 v5 [T B 5]
            v7 = multiply v5 v6 [T B 5]
            carries h v7
            wants v7 last
            wants v5 history
            wants v6 history
        )") == lines(R"(
            h: 2 one step before
            v2: 1
            v3: 1
            v4: 1 from 5
            v5: 1
            v6: 1 from 5
            v7: 2
            buffer 1: [T B 10] slot 1
            buffer 2: [B 5] slot 2
        )"));
    }
}

TEST_CASE("buffers: the summands of a sum that a product is added up to lie in its place") {
    CHECK(places_of(R"(
        h = state [T B 5]
        R = parameter [5 x 5]
        v1 = tanh h [T B 5]
        v2 = product v1 R [T B 5]
        v3 = exp h [T B 5]
        v4 = add v3 v2 [T B 5]
        carries h v4
        wants v4 last
    )",
                    true) == lines(R"(
        h: 2 one step before
        v1: 1
        v2: 2
        v3: 2
        v4: 2
        buffer 1: [B 5] slot 1
        buffer 2: [B 5] slot 2
    )"));
}

TEST_CASE("buffers: of one time step they share memory where their lives and widths allow it, a carried one "
          "never") {
    CHECK(places_of(R"(
        h = state [T B 5]
        A = parameter [5 x 5]
        C = parameter [5 x 5]
        D = parameter [5 x 3]
        E = parameter [3 x 5]
        v1 = product h A [T B 5]
        v2 = tanh v1 [T B 5]
        v3 = product v2 C [T B 5]
        v4 = tanh v3 [T B 5]
        v5 = product v4 D [T B 3]
        v6 = product v5 E [T B 5]
        gives next(h) v6
    )") == lines(R"(
        h: 6 one step before
        v1: 1
        v2: 2
        v3: 3
        v4: 4
        v5: 5
        v6: 6
        buffer 1: [B 5] slot 1
        buffer 2: [B 5] slot 3
        buffer 3: [B 5] slot 1
        buffer 4: [B 5] slot 3
        buffer 5: [B 3] slot 4
        buffer 6: [B 5] slot 2
    )"));
}

TEST_CASE("buffers: a carried value that is written early in a step keeps its memory to the end of it") {
    CHECK(places_of(R"(
        h = state [T B 5]
        k = state [T B 5]
        A = parameter [5 x 5]
        C = parameter [5 x 5]
        v1 = product h A [T B 5]
        v2 = tanh v1 [T B 5]
        v3 = product v2 C [T B 5]
        v4 = add v3 k [T B 5]
        carries h v1
        carries k v4
        wants v4 last
    )") == lines(R"(
        h: 1 one step before
        k: 4 one step before
        v1: 1
        v2: 2
        v3: 3
        v4: 4
        buffer 1: [B 5] slot 1
        buffer 2: [B 5] slot 3
        buffer 3: [B 5] slot 4
        buffer 4: [B 5] slot 2
    )"));
}

TEST_CASE("buffers: a function of a whole row is stored although only its own block reads it") {
    CHECK(places_of(R"(
        x = input [T B 4]
        h = state [T B 4]
        v1 = add x h [T B 4]
        v2 = max v1 groups 2 [T B 4]
        v3 = cumsum v2 [T B 4]
        gives output v3
        gives next(h) v3
    )") == lines(R"(
        h: 2 one step before
        v2: 1
        v3: 2
        buffer 1: [B 4] slot 1
        buffer 2: [T B 4] slot 2
    )"));
}

TEST_CASE(
    "buffers: an adjoint asks for the values of the sweeps before it that it reads, but not for cheap ones") {
    CHECK(places_of(R"(
        h = state [T B 5]
        v1 = sigmoid h [T B 5]
        v2 = number 1 []
        v3 = subtract v2 v1 [T B 5]
        v4 = tanh v3 [T B 5]
        d1 = cotangent 0 [T B 5]
        v5 = multiply d1 v1 [T B 5]
        v6 = multiply v5 v3 [T B 5]
        v7 = multiply v6 v4 [T B 5]
        gives output v4
        start d1
        backward
        wants v7 history
    )") == lines(R"(
        v7: 1
        buffer 1: [T B 5] slot 1
        saved v1
        saved v4
    )"));
}

} // namespace buffers_test
