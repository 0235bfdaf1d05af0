// SPDX-License-Identifier: BSL-1.0
// The laws of a plan: a plan that breaks one is refused, with the sentence of that law. Those of accumulated
// products are in accumulate.cpp.
#include <doctest/doctest.h>
#include <sluice/plan/make_plan.hpp>
#include <support/graph_text.hpp>

namespace check_test {

namespace {

/// A plan of a product before the loop, two blocks and a product in it, and a product after it, to be broken.
struct sound {
    graph_text::owned_sweep of = graph_text::sweep_of(R"(
        x = input [T B 3]
        h = state [T B 5]
        W = parameter [3 x 5]
        R = parameter [5 x 5]
        V = parameter [5 x 2]
        v1 = product x W [T B 5]
        v2 = add v1 h [T B 5]
        v3 = sigmoid v2 [T B 5]
        v4 = product v3 R [T B 5]
        v5 = tanh v4 [T B 5]
        v6 = product v5 V [T B 2]
        gives output v6
        gives next(h) v5
    )");
    sluice::phase_map phases = sluice::find_phases(of.s);
    sluice::list<bool> rematerialized = sluice::find_rematerialized(of.s, phases);
    sluice::plan p = sluice::make_plan(of.s);

    int task_of(std::string_view product) const {
        int t = 0;
        while (p.tasks[t].node != of[product])
            ++t;
        return t;
    }
    int block(int number) const {
        int t = 0;
        while (p.tasks[t].kind != sluice::task_kind::block || p.tasks[t].block != number)
            ++t;
        return t;
    }
    void drop(int task) {
        for (int t = task; t + 1 < p.tasks.size(); ++t)
            p.tasks[t] = p.tasks[t + 1];
        p.tasks.resize(p.tasks.size() - 1);
    }
    std::string fault() const {
        try {
            sluice::check_plan(p, of.s, phases, rematerialized);
            return {};
        } catch (std::logic_error const& e) {
            return e.what();
        }
    }
};

} // namespace

TEST_CASE("check: a plan as it is made breaks no law") {
    sound s;
    REQUIRE(s.p.tasks.size() == 5);
    CHECK(s.fault().empty());
}

TEST_CASE("check: tasks come in the order of their phases") {
    sound s;
    std::swap(s.p.tasks[s.task_of("v6")], s.p.tasks[s.block(1)]);
    CHECK(s.fault().starts_with("sluice: "));
    sound late;
    late.p.tasks[late.task_of("v1")].when = sluice::phase::after;
    CHECK(late.fault() == "sluice: the tasks of a plan are not in the order of their phases");
}

TEST_CASE("check: a product is done once") {
    sound never;
    never.drop(never.task_of("v6"));
    CHECK(never.fault() == "sluice: a product of a plan is not done exactly once");
    sound twice;
    sluice::task const again = twice.p.tasks[twice.task_of("v6")];
    twice.p.tasks.push_back(again);
    CHECK(twice.fault() == "sluice: a product of a plan is not done exactly once");
}

TEST_CASE("check: what a product or a block reads was written before") {
    sound product;
    std::swap(product.p.tasks[product.task_of("v4")], product.p.tasks[product.block(0)]);
    CHECK(product.fault() == "sluice: a plan multiplies what was not computed");
    sound block;
    std::swap(block.p.tasks[block.task_of("v4")], block.p.tasks[block.block(1)]);
    CHECK(block.fault() == "sluice: a block of a plan reads what was not computed");
}

TEST_CASE("check: a block stores registers that it has, and every value is written") {
    sound s;
    sluice::planned_block const& b = s.p.blocks[0];
    s.p.stores[b.stores.first].from = b.loads.count + b.code.count;
    CHECK(s.fault() == "sluice: a block of a plan stores what it does not have");
    sound lost;
    lost.p.blocks[1].stores.count = 0;
    CHECK(lost.fault() == "sluice: a plan multiplies what was not computed"); // v5, by v6
}

TEST_CASE("check: what is wanted is computed") {
    sound s;
    s.of.s.wanted.push_back({s.of["v2"], sluice::wanted_value::extent::history}); // only in registers
    CHECK(s.fault() == "sluice: a plan does not compute what is wanted of it");
}

} // namespace check_test
