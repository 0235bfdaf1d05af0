// SPDX-License-Identifier: BSL-1.0
// What is written once for cells and for stacks of layers: a training function, and what their states are as
// lists.
#include <algorithm>
#include <doctest/doctest.h>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/check/gradient_check.hpp>
#include <sluice/sequence/stack_front.hpp>
#include <sluice/xtensor.hpp>
#include <span>
#include <support/containers.hpp>
#include <support/tensors.hpp>
#include <support/train.hpp>

namespace front_test {

using support::distinct;
using namespace sluice::literals;

namespace {

/// A state is a list of as many tensors, [rows, batch, width], and the list is the state.
template <class Net>
void state_is_a_list(Net const& net, std::size_t rows) {
    auto const state = support::random_map(net.zero_state(3), "state");
    auto list = sluice::detail::listed(state);
    for (auto const& one : list)
        CHECK(one.shape() == std::array<std::size_t, 3>{rows, 3, 5});
    CHECK(support::same_map(sluice::detail::by_name<typename Net::state_type>(std::move(list)), state));
}

template <class Net, class Key>
void check(Net& net, Key key, std::size_t rows) {
    state_is_a_list(net, rows);
    CHECK(
        sluice::gradient_check(net, distinct<double, 3>({4, 3, 3}, "xs"), net.zero_state(3)).worst().largest <
        1e-6);
    auto const target = distinct<double, 3>({4, 3, net.output_size()}, "target");
    auto const losses =
        support::train(net, distinct<double, 3>({4, 3, 3}, "xs"), target, 30, [&](auto& optimizer, auto&) {
            optimizer.constrain(key, [](std::span<double> values) { std::ranges::fill(values, 0.125); });
        });
    CHECK(losses.back() < 0.9 * losses.front());
    CHECK(xt::all(xt::equal(net.parameters()[key], 0.125)));
}

} // namespace

TEST_CASE("front: one function trains cells and stacks of layers") {
    SUBCASE("a cell") {
        sluice::cell<sluice::lstm, double> cell({.input = 3, .units = 5}, sluice::seed{7});
        check(cell, "b_i"_s, 1);
    }
    SUBCASE("layers") {
        sluice::stack<sluice::gru, double> net({.input = 3, .units = 5}, {.layers = 2}, sluice::seed{7});
        check(net, "layer1/b_r", 2);
    }
}

TEST_CASE("front: infer refuses a draw of masks, of which it has none") {
    sluice::cell<sluice::gru, double> const cell({.input = 3, .units = 5});
    auto const xs = distinct<double, 3>({4, 3, 3}, "xs");
    CHECK_THROWS_WITH_AS(infer(cell, xs, {.draw = 7}),
                         "sluice: infer draws no masks, but .draw is 7; leave it out, or use unroll",
                         std::invalid_argument);
}

} // namespace front_test
