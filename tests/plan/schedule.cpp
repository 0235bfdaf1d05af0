// SPDX-License-Identifier: BSL-1.0
// When a product accumulates: where the loop has a block less for it, and nothing needs more memory.
#include <doctest/doctest.h>
#include <sluice/plan/schedule.hpp>
#include <support/plan_text.hpp>

namespace schedule_test {

using graph_text::lines;

namespace {

std::string tasks_of(std::string const& text) {
    plan_text::passes p(text);
    return plan_text::tasks_text(p, sluice::find_schedule(p.of.s, p.phases, p.rematerialized).blocks);
}

} // namespace

TEST_CASE("schedule: a sum at the end of a step needs no block where its product is added in place") {
    CHECK(tasks_of(R"(
        h = state [T B 5]
        R = parameter [5 x 5]
        v1 = tanh h [T B 5]
        v2 = product v1 R [T B 5]
        v3 = exp h [T B 5]
        v4 = add v3 v2 [T B 5]
        carries h v4
        wants v4 last
    )") == lines(R"(
        loop 0: block [B 5] v1 v3
        loop 1: product v2 into v4
    )"));
}

TEST_CASE("schedule: both products of a sum of three are added in turn") {
    CHECK(tasks_of(R"(
        h = state [T B 5]
        R = parameter [5 x 5]
        Q = parameter [5 x 5]
        v1 = tanh h [T B 5]
        v2 = product v1 R [T B 5]
        v3 = exp h [T B 5]
        v4 = product v3 Q [T B 5]
        v5 = relu h [T B 5]
        v6 = add v5 v2 [T B 5]
        v7 = add v6 v4 [T B 5]
        carries h v7
        wants v7 last
    )") == lines(R"(
        loop 0: block [B 5] v1 v3 v5
        loop 1: product v2 into v6
        loop 2: product v4 into v7
    )"));
}

TEST_CASE("schedule: a block that is there anyway computes the sum") {
    CHECK(tasks_of(R"(
        h = state [T B 5]
        R = parameter [5 x 5]
        v1 = tanh h [T B 5]
        v2 = product v1 R [T B 5]
        v3 = exp h [T B 5]
        v4 = add v3 v2 [T B 5]
        v5 = tanh v4 [T B 5]
        carries h v5
        wants v5 last
    )") == lines(R"(
        loop 0: block [B 5] v1
        loop 1: product v2
        loop 1: block [B 5] v3 v4 v5
    )"));
}

TEST_CASE("schedule: a summand that something else reads keeps its own place") {
    CHECK(tasks_of(R"(
        h = state [T B 5]
        k = state [T B 5]
        R = parameter [5 x 5]
        v1 = tanh h [T B 5]
        v2 = product v1 R [T B 5]
        v3 = exp k [T B 5]
        v4 = add v3 v2 [T B 5]
        carries h v4
        carries k v3
        wants v4 last
        wants v3 last
    )") == lines(R"(
        loop 0: block [B 5] v1
        loop 1: product v2
        loop 1: block [B 5] v3 v4
    )"));
}

} // namespace schedule_test
