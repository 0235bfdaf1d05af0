// SPDX-License-Identifier: BSL-1.0
// A cell with reductions and several inputs that stays on the device, and the shapes that its inputs may
// have.
#include "resident.hpp"
#include <support/reducing_cells.hpp>

namespace resident_users_test {

using namespace resident_test;
using namespace sluice::literals;

sluice::sizes const n{.input = 3, .units = 9, .groups = 3, .own = {{"context", 4}}};
using users = sluice::cell<reducing_cells::attentive, double, generated>;

TEST_CASE("resident users: a cell with several inputs stays on the device") {
    users const host = shuffled(users(n));
    auto const other = shuffled(sluice::cell<reducing_cells::attentive, double>(n));
    resident const net(host);
    auto const xs = random_sequence<double>(4, 3, 3), cs = random_sequence<double>(4, 3, 4, "context");
    auto const start = random_states(other.zero_state(3), "start");
    auto const there = send(xs), contexts = send(cs);
    auto const state = net.send(random_states(host.zero_state(3), "start"));
    for (sluice::unroll_options const& rows :
         {sluice::unroll_options{}, {.lengths = {4, 0, 2}}, {.resets = some_resets(4, 3)}}) {
        auto const run = unroll(net, sluice::inputs("context"_s, contexts, "x"_s, there), state, rows);
        auto const expected = unroll(other, sluice::inputs("x"_s, xs, "context"_s, cs), start, rows);
        check_near(fetch(run.outputs), expected.outputs);
        auto const dys = random_like(expected.outputs, "dys");
        auto const found = backward(net, run, send(dys), state);
        auto const wanted = backward(other, expected, dys, start);
        check_near(fetch(found.inputs["x"_s]), wanted.inputs["x"_s]);
        check_near(fetch(found.inputs["context"_s]), wanted.inputs["context"_s]);
        check_states(net.fetch(found.state), wanted.state);
        check_values(net.fetch(found.parameters).values(), wanted.parameters.values());
        auto const inferred = infer(net, sluice::inputs("x"_s, there, "context"_s, contexts), state, rows);
        check_near(fetch(inferred.outputs), expected.outputs);
    }
    auto const longer = send(random_sequence<double>(5, 3, 4, "longer"));
    CHECK_THROWS_WITH_AS(unroll(net, sluice::inputs("x"_s, there, "context"_s, longer), state),
                         "sluice: unroll expects context with 3 rows and 4 time steps, as the input before "
                         "it has, but got [5, 3, 4]",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(unroll(net, sluice::inputs("x"_s, there, "context"_s, there), state),
                         "sluice: unroll expects context of shape [time, batch, 4], but got [4, 3, 3]",
                         std::invalid_argument);
}

} // namespace resident_users_test
