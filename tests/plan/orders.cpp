// SPDX-License-Identifier: BSL-1.0
// The order of tasks in even and in odd steps: products that follow each other change places where they are
// apart. And what a block takes from the product of the same step.
#include <sluice/plan/orders.hpp>

#include <array>
#include <doctest/doctest.h>
#include <sluice/plan/make_plan.hpp>
#include <sluice/plan/plans.hpp>
#include <string>
#include <support/graph_text.hpp>
#include <support/matrix_cells.hpp>

namespace orders_test {

namespace {

/// The words of all tasks in even steps and in odd ones; what each load of a block reads, and what stays in
/// registers.
struct step_words {
    std::string even{}, odd{}, loads{}, stays{};
};

step_words steps_of(std::string const& text) {
    auto const of = graph_text::sweep_of(text);
    sluice::plan const p = sluice::make_plan(of.s);
    auto const label = graph_text::labels(of.s.g);
    auto const word = [&](int t) {
        sluice::task const& one = p.tasks[t];
        return one.kind == sluice::task_kind::block ? "block "
                                                    : label(one.node) + (one.accumulates() ? "+ " : " ");
    };
    step_words found;
    sluice::step_map const steps = sluice::find_steps(p, of.s.g);
    for (int t = 0; t < p.tasks.size(); ++t) {
        found.even += word(t);
        found.odd += word(steps.odd[t]);
        found.stays += steps.stays[t] ? word(t) : "";
        CHECK(p.tasks[t].stays == steps.stays[t]);
        CHECK(p.odd[t] == steps.odd[t]);
    }
    for (int l = 0; l < p.loads.size(); ++l)
        found.loads +=
            label(p.loads[l].node) + (steps.sources[l] < 0 ? " " : " of " + word(steps.sources[l]));
    return found;
}
std::array<std::string, 2> orders_of(std::string const& text) {
    step_words const found = steps_of(text);
    return {found.even, found.odd};
}

} // namespace

TEST_CASE("orders: two products of one level change places in odd steps, and nothing else does") {
    auto const [even, odd] = orders_of(R"(
        x = input [T B 3]
        h = state [T B 5]
        W = parameter [3 x 5]
        R = parameter [5 x 5]
        v1 = product x W [T B 5]
        v2 = product h R [T B 5]
        v3 = multiply v1 v2 [T B 5]
        v4 = tanh v3 [T B 5]
        gives output v4
        gives next(h) v4
    )");
    CHECK(even == "v1 v2 block ");
    CHECK(odd == "v2 v1 block ");
}

TEST_CASE("orders: a product of what the one before it has computed stays after it") {
    auto const [even, odd] = orders_of(R"(
        h = state [T B 5]
        R = parameter [5 x 5]
        Q = parameter [5 x 5]
        v1 = product h R [T B 5]
        v2 = product v1 Q [T B 5]
        v3 = tanh v2 [T B 5]
        gives output v3
        gives next(h) v3
    )");
    CHECK(even == "v1 v2 block ");
    CHECK(odd == even);
}

TEST_CASE("orders: of three, one of which reads another, those that are apart turn round") {
    auto const [even, odd] = orders_of(R"(
        h = state [T B 5]
        k = state [T B 5]
        R = parameter [5 x 5]
        Q = parameter [5 x 5]
        P = parameter [5 x 5]
        v1 = product h R [T B 5]
        v2 = product k Q [T B 5]
        v3 = product v1 P [T B 5]
        v4 = multiply v2 v3 [T B 5]
        gives output v4
        gives next(h) v4
        gives next(k) v2
    )");
    CHECK(even == "v1 v2 v3 block ");
    CHECK(odd == "v2 v1 v3 block ");
}

TEST_CASE("orders: products that are added to what lies there do not move, wherever that is") {
    auto const found = steps_of(R"(
        h = state [T B 5]
        k = state [T B 5]
        R = parameter [5 x 5]
        Q = parameter [5 x 5]
        v1 = tanh h [T B 5]
        v2 = product v1 R [T B 5]
        v3 = exp h [T B 5]
        v4 = add v3 v2 [T B 5]
        v5 = tanh k [T B 5]
        v6 = product v5 Q [T B 5]
        v7 = exp k [T B 5]
        v8 = add v7 v6 [T B 5]
        carries h v4
        carries k v8
        wants v4 last
        wants v8 last
    )");
    CHECK(found.even == "block v2+ v6+ ");
    CHECK(found.odd == found.even);
    CHECK(found.stays == "");
}

TEST_CASE("orders: blocks take what products have made, and parts of it, and no memory has it") {
    auto const found = steps_of(R"(
        x = input [T B 3]
        h = state [T B 5]
        W = parameter [3 x 10]
        R = parameter [5 x 10]
        v1 = product x W [T B 10]
        v2 = product h R [T B 10]
        v3 = slice v1 [T B 5]
        v4 = slice v2 [T B 5]
        v5 = slice v1 from 5 [T B 5]
        v6 = slice v2 from 5 [T B 5]
        v7 = add v3 v4 [T B 5]
        v8 = add v5 v6 [T B 5]
        v9 = multiply v7 v8 [T B 5]
        gives output v9
        gives next(h) v9
    )");
    CHECK(found.loads == "v3 of v1 v4 of v2 v5 of v1 v6 of v2 ");
    CHECK(found.stays == "v1 v2 ");
}

TEST_CASE("orders: what a product, another step or the caller reads is in memory, and taken from registers "
          "all the same") {
    auto const found = steps_of(R"(
        h = state [T B 5]
        k = state [T B 5]
        R = parameter [5 x 5]
        Q = parameter [5 x 5]
        P = parameter [5 x 5]
        v1 = product h R [T B 5]
        v2 = product k Q [T B 5]
        v3 = product v1 P [T B 5]
        v4 = multiply v2 v3 [T B 5]
        gives output v4
        gives next(h) v4
        gives next(k) v2
    )");
    CHECK(found.loads == "v2 of v2 v3 of v3 ");
    CHECK(found.stays == "v3 ");
}

TEST_CASE("orders: a product of matrix values is read from memory, and stays in no register") {
    using plans = sluice::plans<matrix_cells::nonlinear_memory>;
    int products = 0;
    for (sluice::task const& t : plans::inference.tasks)
        if (t.kind == sluice::task_kind::product && plans::graph.is_matrix_value(t.node)) {
            ++products;
            CHECK(!t.stays);
        }
    CHECK(products == 1);
    for (sluice::block_load const& load : plans::inference.loads)
        CHECK((load.source < 0 || !plans::graph.is_matrix_value(load.node)));
}

} // namespace orders_test
