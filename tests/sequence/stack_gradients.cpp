// SPDX-License-Identifier: BSL-1.0
// gradient_check of stacks, in double.
#include "stack_check.hpp"
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>

namespace stack_gradients_test {

using namespace stacks;

namespace {

constexpr double exact = 1e-8;

template <class Net>
void check(Net const& net, lengths_type const& lengths) {
    auto const xs = random_sequence<double>(3, 2, net.input_size());
    auto const start = random_states(net.zero_state(2), "start");
    auto const report = gradient_check(net, xs, start, {.lengths = lengths, .draw = 5});
    std::size_t const tensors = net.parameters().array().places().size();
    CHECK(report.tensors.size() > tensors);
    CHECK(report.worst().largest < exact);
}

} // namespace

TEST_CASE("gradients of stacks: directions, dropout, sums and lengths") {
    using net_type = sluice::stack<sluice::gru, double>;
    for (direction way : {direction::unidirectional, direction::bidirectional, direction::reversed})
        for (double const rate : {0.0, 0.5, 1.0})
            for (residual added : {residual::none, residual::all}) {
                std::size_t const width = 2 * sluice::directions_of(way);
                CAPTURE(static_cast<int>(way));
                CAPTURE(rate);
                auto const net = shuffled(net_type({.input = width, .units = 2}, {.layers = 2,
                                                                                  .direction = way,
                                                                                  .dropout = rate,
                                                                                  .variational = rate == 0.5,
                                                                                  .residual = added}));
                check(net, rate == 0.5 ? lengths_type{3, 1} : lengths_type{});
            }
}

TEST_CASE("gradients of stacks: a cell of two states, and different pages") {
    sluice::stack<two_states, double> const own(
        {.input = 3, .units = 2}, {.layers = 2, .direction = direction::bidirectional, .dropout = 0.5});
    check(shuffled(own), {3, 1});
    sluice::stack<sluice::layers<two_states, sluice::dense>, double> const listed(
        {{.input = 2, .units = 3}, {.units = 2}}, {.direction = direction::reversed, .dropout = 0.5});
    check(shuffled(listed), {0, 3});
}

TEST_CASE("stack gradients: the check sees a gradient that is wrong by one mask") {
    sluice::stack<sluice::dense, double> const net({.input = 3, .units = 4}, {.layers = 2, .dropout = 0.5});
    auto const xs = random_sequence<double>(3, 2, 3);
    auto const run = unroll(net, xs, net.zero_state(2), {.draw = 1});
    auto const other = unroll(net, xs, net.zero_state(2), {.draw = 2});
    auto const dys = random_like(run.outputs, "dys");
    CHECK_FALSE(near(backward(net, other, dys).inputs, backward(net, run, dys).inputs));
}

} // namespace stack_gradients_test
