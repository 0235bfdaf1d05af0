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

/// Three states start at parameters: one parameter is a peephole as well, one is never trained.
struct started {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        constexpr auto c = state<"c", 3>;
        constexpr auto d = state<"d">;
        return sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h"> + c * matrix<"C"> + d),
                             next(c) = tanh(x * W<"c"> + c * p<"c">), next(d) = d * h,
                             initial(h) = vector<"h0">, initial(c) = p<"c">,
                             initial(d) = fixed(vector<"d0">));
    }();
};

template <class Net, class Other>
void check_started(Net const& host, Other const& other) {
    resident const net(host);
    auto const xs = random_sequence<double>(4, 3, 2);
    auto const there = send(xs);
    check_states(net.fetch(net.initial_state(3)), other.initial_state(3));
    check_near(fetch(infer(net, there).outputs), infer(other, xs).outputs);
    for (sluice::unroll_options const& rows :
         {sluice::unroll_options{}, {.lengths = {4, 0, 2}}, {.resets = some_resets(4, 3)}}) {
        auto const run = unroll(net, there, rows);
        auto const expected = unroll(other, xs, rows);
        check_near(fetch(run.outputs), expected.outputs);
        auto const dys = random_like(expected.outputs, "dys");
        auto const found = backward(net, run, send(dys));
        auto const wanted = backward(other, expected, dys);
        check_values(net.fetch(found.parameters).values(), wanted.parameters.values());
        check_states(net.fetch(found.state), wanted.state);
    }
    CHECK_THROWS_AS(net.initial_state(std::size_t(1) << 62), std::invalid_argument);
}

TEST_CASE("resident users: states start at parameters, which are trained with the others") {
    sluice::sizes const own{.input = 2, .units = 5};
    check_started(shuffled(sluice::cell<started, double, generated>(own)),
                  shuffled(sluice::cell<started, double>(own)));
    for (auto const way : {sluice::direction::unidirectional, sluice::direction::bidirectional}) {
        sluice::stack_options const two{.layers = 2, .direction = way};
        check_started(shuffled(sluice::stack<started, double, generated>(own, two)),
                      shuffled(sluice::stack<started, double>(own, two)));
    }
}

} // namespace resident_users_test
