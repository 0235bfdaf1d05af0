// SPDX-License-Identifier: BSL-1.0
// The mirror form of the plan: one transposed product for each pack, weight gradients outside the loop.
#include "cells.hpp"

#include <support/both.hpp>

using namespace cells;
using sluice::op;
using sluice::phase;

namespace {

constexpr int count(auto const& plan, op kind, phase when) {
    int result = 0;
    for (auto const& p : plan.products)
        result += p.kind == kind && p.when == when;
    return result;
}
/// How many members the products of a kind have in a phase, together.
constexpr int members(auto const& plan, op kind, phase when) {
    int result = 0;
    for (auto const& p : plan.products)
        result += p.kind == kind && p.when == when ? p.count : 0;
    return result;
}
constexpr bool weight_gradients_are_outside(auto const& plan) {
    return count(plan, op::outer, phase::loop) == 0 && count(plan, op::column_sum, phase::loop) == 0 &&
           count(plan, op::outer, phase::before) == 0 && count(plan, op::column_sum, phase::before) == 0;
}
constexpr int blocks(auto const& plan, phase when) {
    int result = 0;
    for (sluice::planned_block const& b : plan.blocks)
        result += b.when == when;
    return result;
}

} // namespace

TEST_CASE("backward plan: the cuDNN GRU has one transposed product in the loop") {
    constexpr auto const& plan = plans_of<decltype(cudnn_gru)>::backward;
    BOTH(count(plan, op::product_transposed, phase::loop) == 1);
    BOTH(members(plan, op::product_transposed, phase::loop) == 3);
    BOTH(count(plan, op::product_transposed, phase::after) == 1);
    BOTH(members(plan, op::product_transposed, phase::after) == 3);
    BOTH(weight_gradients_are_outside(plan));
    BOTH(count(plan, op::outer, phase::after) == 2);
    BOTH(count(plan, op::column_sum, phase::after) == 4);
    BOTH(plan.copies.empty());
}

TEST_CASE("backward plan: the GRU has two transposed products in the loop") {
    constexpr auto const& plan = plans_of<decltype(gru)>::backward;
    BOTH(count(plan, op::product_transposed, phase::loop) == 2);
    BOTH(members(plan, op::product_transposed, phase::loop) == 3);
    BOTH(weight_gradients_are_outside(plan));
    BOTH(count(plan, op::outer, phase::after) == 3);
}

TEST_CASE("backward plan: an LSTM, merged over its gates") {
    constexpr auto const& plan = plans_of<decltype(lstm)>::backward;
    BOTH(count(plan, op::product_transposed, phase::loop) == 2);
    BOTH(members(plan, op::product_transposed, phase::loop) == 5);
    BOTH(count(plan, op::product_transposed, phase::after) == 1);
    BOTH(weight_gradients_are_outside(plan));
    BOTH(count(plan, op::outer, phase::after) == 3);
}

TEST_CASE("backward plan: what only the gradient of the input wants is marked") {
    constexpr auto const& plan = plans_of<decltype(lstm)>::backward;
    constexpr auto marked = [](auto const& of) {
        int result = 0;
        for (auto const& p : of.products)
            result += p.for_input_only;
        return result;
    };
    BOTH(marked(plan) == 1);
    BOTH(marked(plans_of<decltype(dense)>::backward) == 1);
}

TEST_CASE("backward plan: a dense layer has no work in the loop") {
    constexpr auto const& plan = plans_of<decltype(dense)>::backward;
    BOTH(blocks(plan, phase::loop) == 0);
    BOTH(count(plan, op::product_transposed, phase::loop) == 0);
    BOTH(weight_gradients_are_outside(plan));
}

TEST_CASE("backward plan: the forward pass keeps what the backward pass reads, and no more") {
    constexpr auto lines = sluice::lines(next(h) = x * W<"h"> + h * R<"h">); // linear: nothing
    constexpr auto const& plan = plans_of<decltype(lines)>::backward;
    constexpr auto kept = [](auto const& of) {
        int result = 0;
        for (bool saved : of.saved)
            result += saved;
        return result;
    };
    BOTH(kept(plan) == 0);
    constexpr auto squashed = sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h">));
    BOTH(kept(plans_of<decltype(squashed)>::backward) == 1);
}
