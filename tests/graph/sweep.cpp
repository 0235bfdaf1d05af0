// SPDX-License-Identifier: BSL-1.0
// Sweeps: what a graph carries and gives as it runs through time, and its adjoint.
#include <doctest/doctest.h>
#include <sluice/graph/differentiate.hpp>
#include <sluice/graph/rules.hpp>
#include <sluice/graph/sweep.hpp>
#include <support/graph_text.hpp>

namespace sweep_test {

using graph_text::lines;

namespace {

std::string text_of(sluice::sweep const& s) {
    auto const label = graph_text::labels(s.g);
    using extent = sluice::wanted_value::extent;
    std::ostringstream out;
    out << (s.way == sluice::time_order::forward ? "forward" : "backward") << " from node " << s.start
        << '\n';
    for (sluice::carried_pair const& pair : s.carried)
        out << "carries " << label(pair.leaf) << " from " << label(pair.result) << '\n';
    for (sluice::wanted_value const& w : s.wanted)
        out << "wants " << label(w.node) << ' '
            << (w.how == extent::history ? "history"
                : w.how == extent::last  ? "last"
                                         : "total")
            << (w.served > 1 ? " as bit " + std::to_string(w.served) : "") << '\n';
    return graph_text::lines(out.str());
}

constexpr char const* cell = R"(
    x = input [T B 3]
    h = state [T B 5]
    W = parameter [3 x 5]
    v1 = product x W [T B 5]
    v2 = add v1 h [T B 5]
    gives output v2
    gives next(h) v2
)";

} // namespace

TEST_CASE(
    "sweep: forward carries next states to their states, wants them last, and the output of every step") {
    auto const g = graph_text::graph_of(cell);
    CHECK(text_of(sluice::forward_sweep(g.seen())) == lines(R"(
        forward from node 0
        carries h from v2
        wants v2 history
        wants v2 last
    )"));
}

TEST_CASE("sweep: its adjoint runs backward, carries gradients of states, and has a bit for each input") {
    auto const g = graph_text::graph_of(cell);
    auto const d = sluice::differentiate(g.seen(), sluice::derivative_rules(graph_text::operations{}));
    auto const all = sluice::sweeps_of(d.whole.seen(), sluice::view<int>(d.sweeps));
    REQUIRE(all.size() == 2);
    CHECK(text_of(all[1]) == text_of(sluice::backward_sweep(d.whole.seen(), d.given)));
    std::string const text = text_of(all[1]);
    CAPTURE(text);
    CHECK(text.starts_with("backward from node " + std::to_string(d.given) + "\ncarries d2 from "));
    CHECK(text.find(" history as bit 2\n") != std::string::npos); // x
    CHECK(text.find(" last\n") != std::string::npos);             // h
    CHECK(text.find(" total\n") != std::string::npos);            // W
}

TEST_CASE("sweep: twice differentiated there are four, of which the third runs forward again") {
    auto const g = graph_text::graph_of(cell);
    auto const rules = sluice::derivative_rules(graph_text::operations{});
    auto const d = sluice::differentiate(sluice::differentiate(g.seen(), rules), rules);
    auto const all = sluice::sweeps_of(d.whole.seen(), sluice::view<int>(d.sweeps));
    REQUIRE(all.size() == 4);
    using way = sluice::time_order;
    way const expected[] = {way::forward, way::backward, way::forward, way::backward};
    for (int k = 0; k < 4; ++k) {
        CHECK(all[k].way == expected[k]);
        CHECK(all[k].start == d.sweeps[k]);
        CHECK(all[k].carried.size() == 1);
    }
}

} // namespace sweep_test
