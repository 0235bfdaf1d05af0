// SPDX-License-Identifier: BSL-1.0
// Products that are added to what lies in the place of a sum, and the laws that hold for them.
#include <doctest/doctest.h>
#include <graph/cells.hpp>
#include <stdexcept>
#include <string>

namespace accumulate_test {

namespace {

using plans = sluice::plans<cells::page_of<cells::mgu>>;

/// The backward plan of the minimal gated unit, and what a check of it needs.
struct checked {
    sluice::sweep s = sluice::backward_sweep(plans::gradient, plans::given);
    sluice::phase_map phases = sluice::find_phases(s);
    sluice::list<bool> rematerialized = sluice::find_rematerialized(s, phases);
    sluice::plan p = sluice::make_plan(s);
    int added = -1;  ///< the task that accumulates
    int summand = 0; ///< what it is added to

    checked() {
        for (int t = 0; t < p.tasks.size(); ++t)
            if (p.tasks[t].accumulates())
                added = t;
        REQUIRE(added >= 0);
        summand = sluice::other_summand(s.g, p.tasks[added].sum, p.tasks[added].node);
    }
    sluice::placement& place(int node) { return p.places[p.places_of[node].first]; }
    /// The sentence of what is wrong.
    std::string fault() const {
        try {
            sluice::check_plan(p, s, phases, rematerialized);
            return {};
        } catch (std::logic_error const& e) {
            return e.what();
        }
    }
};

} // namespace

TEST_CASE("accumulate: both summands and the sum have one place") {
    checked c;
    sluice::task const& t = c.p.tasks[c.added];
    CHECK(c.s.g[t.node].kind == sluice::op::product);
    CHECK(c.s.g.is(t.sum, sluice::f_add));
    CHECK(c.place(t.node) == c.place(t.sum));
    CHECK(c.place(c.summand) == c.place(t.sum));
    CHECK(c.p.buffers[c.place(t.sum).buffer].delay == 1); // the state of the sweep
    CHECK(c.fault().empty());
}

TEST_CASE("accumulate: a plan in which it would be wrong is refused") {
    { // before the summand is there
        checked c;
        std::swap(c.p.tasks[c.added], c.p.tasks[c.added - 1]);
        CHECK(c.fault() == "sluice: a product of a plan is added to what was not computed");
    }
    { // to something else
        checked c;
        ++c.place(c.summand).delay;
        CHECK(c.fault() == "sluice: a product of a plan is added to what lies elsewhere");
    }
    { // to what is read as the sum before it is one
        checked c;
        for (sluice::block_load& load : c.p.loads)
            load.node = c.p.tasks[c.added].sum;
        CHECK(c.fault() == "sluice: a block of a plan reads what was not computed");
    }
    for (bool later : {false, true}) { // to what it multiplies, or a task after it
        checked c;
        sluice::graph own(c.s.g);
        own.operands[own[c.p.tasks[c.added + later].node].first] = c.summand;
        c.s.g = own.seen();
        CHECK(c.fault() == "sluice: a plan multiplies what was not computed");
    }
    { // twice
        checked c;
        sluice::task const again = c.p.tasks[c.added];
        c.p.tasks.push_back(again);
        sort(c.p.tasks, [](auto const& a, auto const& b) { return a.when < b.when; });
        CHECK(c.fault() == "sluice: a product of a plan is added to what was not computed");
    }
}

TEST_CASE("accumulate: products come behind what they are added to") {
    sluice::list<int> const order{4, 2, 3, 5, 6};
    sluice::graph g;
    for (double value : {0., 1., 2., 3.})
        g.add({.kind = sluice::op::number, .value = value});
    g.add({.kind = sluice::op::features}, {0});
    int const sum = g.add({.kind = sluice::op::pointwise, .function = sluice::f_add}, {3, 4});
    REQUIRE(sum == 5);
    sluice::accumulation_map sums(7);
    sums.add(g.seen(), 5, 4);
    auto const sorted = sluice::with_products_last(order, sums);
    for (int k = 0; int const i : {2, 3, 4, 5, 6})
        CHECK(sorted[k++] == i);
}

} // namespace accumulate_test
