// SPDX-License-Identifier: BSL-1.0
// Residual blocks as layers of a stack: what they compute is what their cells do one after the other.
#include "odd_cells.hpp"

#include <sluice/cells/griffin.hpp>
#include <sluice/cells/mlstm_block.hpp>
#include <span>
#include <support/random_numbers.hpp>

namespace blocks_test {

using support::random_sequence;
using xt::xtensor;

namespace {

template <class Stack>
void randomize(Stack& net) {
    sluice::random_stream numbers(sluice::seed{11}, "blocks");
    net.update_values([&](std::span<double> values) {
        for (double& v : values)
            v = numbers.uniform(-1, 1);
    });
}
template <class Cell>
xtensor<double, 3> with_residual(Cell const& cell, xtensor<double, 3> const& xs) {
    return xs + infer(cell, xs, cell.zero_state(xs.shape()[1])).outputs;
}

} // namespace

TEST_CASE("blocks: the recurrent block of Griffin") {
    odd::check<sluice::griffin_mixing>({.input = 3, .units = 5});
}
TEST_CASE("blocks: the block of xLSTM") {
    // Where a head reads nearly nothing, its normalisation bends more than differences can follow; autograd's
    // derivative is in tests/catalogue.
    odd::check<sluice::mlstm_block, false>({.input = 3, .units = 15, .groups = 3});
}

TEST_CASE("blocks: a block of Griffin is a stack of two layers, each added to its input") {
    sluice::stack<sluice::layers<sluice::griffin_mixing, sluice::griffin_mlp>, double> net(
        {{.input = 4, .units = 6}, {.units = 12}}, {.residual = sluice::residual::all}, sluice::seed{7});
    randomize(net);
    auto const xs = random_sequence<double>(5, 2, 4);
    auto const state = net.zero_state(2);
    auto const first = with_residual(net.cell<sluice::griffin_mixing>(0), xs);
    auto const second = with_residual(net.cell<sluice::griffin_mlp>(1), first);
    CHECK(support::distance(infer(net, xs, state).outputs, second) < 1e-13);
    CHECK(sluice::gradient_check(net, xs, state).worst().largest < 1e-7);
}

TEST_CASE("blocks: blocks of xLSTM one after the other") {
    sluice::sizes const n{.input = 4, .units = 8, .groups = 2};
    sluice::stack<sluice::mlstm_block, double> net(n, {.layers = 2, .residual = sluice::residual::all},
                                                   sluice::seed{7});
    randomize(net);
    auto const xs = random_sequence<double>(5, 2, 4);
    auto const state = net.zero_state(2);
    auto const first = with_residual(net.cell<sluice::mlstm_block>(0), xs);
    auto const second = with_residual(net.cell<sluice::mlstm_block>(1), first);
    CHECK(support::distance(infer(net, xs, state).outputs, second) < 1e-13);
}

} // namespace blocks_test
