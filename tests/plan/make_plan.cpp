// SPDX-License-Identifier: BSL-1.0
// A plan put together from its parts: weights once each, carried values that are needed, and what later
// sweeps read is kept.
#include <doctest/doctest.h>
#include <sluice/cells/mamba.hpp>
#include <sluice/graph/differentiate.hpp>
#include <sluice/graph/rules.hpp>
#include <sluice/plan/make_plan.hpp>
#include <sluice/plan/plans.hpp>
#include <support/graph_text.hpp>
#include <support/matrix_cells.hpp>

namespace make_plan_test {

using namespace sluice;

namespace {

constexpr char const* cell = R"(
    x = input [T B 3]
    h = state [T B 5]
    idle = state [T B 5]
    W = parameter [3 x 5]
    R = parameter [5 x 5]
    v1 = product x W [T B 5]
    v2 = product h R [T B 5]
    v3 = add v1 v2 [T B 5]
    v4 = tanh v3 [T B 5]
    v5 = product v4 R [T B 5]
    v6 = multiply v5 v4 [T B 5]
    gives output v6
    gives next(h) v6
    gives next(idle) idle
)";

bool wants_history(sweep const& s, int node) {
    for (wanted_value const& w : s.wanted)
        if (w.node == node && w.how == wanted_value::extent::history)
            return true;
    return false;
}

} // namespace

TEST_CASE("make plan: a matrix that two products multiply with is one weight, and each product one task") {
    auto const of = graph_text::sweep_of(cell);
    plan const p = make_plan(of.s);
    CHECK(p.weights.size() == 2);
    CHECK(p.weights.contains(of["W"]));
    CHECK(p.weights.contains(of["R"]));
    int products = 0;
    for (task const& t : p.tasks)
        products += t.kind == task_kind::product;
    CHECK(products == 3);
    CHECK(p.about.has_product_in_loop);
    CHECK(p.about.way == time_order::forward);
    CHECK(p.about.start == 0);
    CHECK(p.places_of.size() == of.s.g.size());
    CHECK(p.wanted.size() == of.s.wanted.size());
    CHECK(p.saved.empty()); // there is no sweep before it
}

TEST_CASE("make plan: a value that is carried and read is carried, a recurrence without products says so") {
    auto const of = graph_text::sweep_of(R"(
        x = input [T B 3]
        h = state [T B 5]
        W = parameter [3 x 5]
        v1 = product x W [T B 5]
        v2 = add v1 h [T B 5]
        gives output v2
        gives next(h) v2
    )");
    plan const p = make_plan(of.s);
    CHECK_FALSE(p.about.has_product_in_loop);
    REQUIRE(p.carried.size() == 1);
    CHECK(p.carried[0].leaf == of["h"]);
    CHECK(p.carried[0].result == of["v2"]);
}

TEST_CASE("make plan: what later sweeps read is wanted of all time steps, if this sweep computes it") {
    auto const of = graph_text::sweep_of(cell);
    list<int> const saved{of["v1"], of["v4"], of["v6"]};
    sweep const all = keeping(of.s, view<int>(saved));
    CHECK(all.wanted.size() == of.s.wanted.size() + 3);
    CHECK(wants_history(all, of["v4"]));
    sweep const some = keeping(of.s, view<int>(saved), of["v4"] + 1);
    CHECK(wants_history(some, of["v1"]));
    CHECK(wants_history(some, of["v4"]));
    CHECK(some.wanted.size() == of.s.wanted.size() + 2);
    sweep later = of.s;
    later.start = of["v2"];
    CHECK_FALSE(wants_history(keeping(later, view<int>(saved)), of["v1"]));
}

TEST_CASE("make plan: of a chain of sweeps each keeps what those behind it read") {
    auto const g = graph_text::graph_of(cell);
    auto const d = differentiate(g.seen(), derivative_rules(graph_text::operations{}));
    auto const sweeps = sweeps_of(d.whole.seen(), view<int>(d.sweeps));
    REQUIRE(sweeps.size() == 2);
    list<plan> const plans = make_plans(sweeps);
    REQUIRE(plans.size() == 2);
    CHECK(plans[1].about.way == time_order::backward);
    CHECK(plans[1].about.start == sweeps[1].start);
    CHECK(plans[1].saved.size() > 0);
    CHECK(plans[0].saved.empty());
    int computed = 0;
    for (int const node : plans[1].saved) {
        CHECK(node < plans[1].about.start);
        for (wanted_value const& w : plans[0].wanted)
            computed += w.node == node && w.how == wanted_value::extent::history;
    }
    CHECK(computed > 0);
    CHECK(plans[0].wanted.size() == sweeps[0].wanted.size() + plans[1].saved.size());
}

TEST_CASE("make plan: an instruction is over all features of a row, or over those of a group") {
    plan p;
    int const units = intern_width(p, width(symbol::units)), two = intern_width(p, width(std::size_t(2)));
    CHECK(p.features({.columns = units}, {.units = 10}) == 10);
    CHECK(p.features({.columns = units, .groups = two}, {.units = 10}) == 5);
}

template <class Page>
void check_sums_of_matrices(task_kind of) {
    using all = plans<Page>;
    plan_view const p = all::backward;
    int stepwise = 0, tapes = 0;
    for (task const& t : p.tasks) {
        bool const is_of_matrices =
            t.node >= 0 && t.kind == of && all::gradient.is_matrix_value(all::gradient.operand(t.node));
        CHECK(t.is_summed_stepwise() == is_of_matrices);
        stepwise += is_of_matrices;
        for (task const& reader : p.tasks) // they are whole after the loop only
            for (block_load const& load :
                 reader.kind == task_kind::block ? block_walk(p, reader.block).loads : view<block_load>{})
                if (is_of_matrices && load.node == t.node)
                    CHECK(reader.when == phase::after);
    }
    CHECK(stepwise == 1);
    for (plan_view const& each : {all::forward, p})
        for (buffer const& b : each.buffers)
            tapes += b.tape && each.is_matrix(b.columns);
    CHECK(tapes == 0);
}

TEST_CASE("make plan: sums over time of matrix values are added up in the loop, so that no step is kept") {
    check_sums_of_matrices<matrix_cells::nonlinear_memory>(task_kind::outer);
    check_sums_of_matrices<mamba>(task_kind::total);
}

} // namespace make_plan_test
