// SPDX-License-Identifier: BSL-1.0
#include "stack_check.hpp"
#include <sluice/cell/adapt/zoneout.hpp>
#include <sluice/cells/delta_net.hpp>
#include <sluice/cells/dense.hpp>
#include <support/matrix_cells.hpp>

TEST_CASE("a stack is its layers one after the other: a user's cell of two states, its units in the type") {
    using units = sluice::extents<sluice::sizes{.units = 5}>;
    stacks::check_by_hand<stacks::two_states, units, double>({.input = 4, .units = 5});
}
TEST_CASE("a stack is its layers one after the other: cells without a state") {
    stacks::check_by_hand<sluice::dense, double, sluice::xtensor::reference>({.input = 4, .units = 3});
}
TEST_CASE("a stack is its layers one after the other: cells whose state is a matrix") {
    stacks::check_by_hand<matrix_cells::gated_delta_net, double, sluice::xtensor::planned>(
        {.input = 4, .own = {{"keys", 4}, {"values", 6}, {"heads", 2}}});
}
TEST_CASE("stack own: zoneout of a state that is a matrix keeps nothing at rate 0, and all of it at rate 1") {
    sluice::sizes const n{.input = 4, .units = 6, .groups = 2};
    using zoned = sluice::stack<sluice::zoneout<sluice::delta_net>, double>;
    auto const xs = stacks::random_sequence<double>(5, 2, 4);
    auto const outputs = [&](auto const& net) { return unroll(net, xs, net.zero_state(2)).outputs; };
    zoned const none(n, {.layers = 2, .zoneout = 0}, sluice::seed{7});
    sluice::stack<sluice::delta_net, double> const plain(n, {.layers = 2}, sluice::seed{7});
    CHECK(support::distance(outputs(none), outputs(plain)) < 1e-14);
    zoned const all(n, {.layers = 2, .zoneout = 1}, sluice::seed{7});
    auto const run = unroll(all, xs, all.zero_state(2));
    using namespace sluice::literals;
    for (double const kept : run.state["S"_s])
        CHECK(kept == 0);
}
TEST_CASE("stack own: layers without a state have no direction") {
    sluice::sizes const n{.input = 4, .units = 3};
    sluice::stack<sluice::dense, double> const one(n, {.layers = 2}, sluice::seed{7});
    sluice::stack<sluice::dense, double> const both(
        n, {.layers = 2, .direction = sluice::direction::bidirectional}, sluice::seed{7});
    auto const xs = stacks::random_sequence<double>(5, 2, 4);
    CHECK(both.output_size() == 3);
    CHECK(both.parameter_count() == one.parameter_count());
    CHECK(infer(both, xs, both.zero_state(2)).outputs == infer(one, xs, one.zero_state(2)).outputs);
}
