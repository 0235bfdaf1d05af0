// SPDX-License-Identifier: BSL-1.0
// What the forward plan finds by itself: hoisted and merged products, recurrent levels, blocks.
#include "cells.hpp"

#include <support/both.hpp>

using namespace cells;
using sluice::op;
using sluice::phase;
using sluice::task;

namespace {

/// How many scheduled products or blocks of a phase there are.
constexpr int count(auto const& plan, task what, phase when) {
    int result = 0;
    for (sluice::scheduled const& s : plan.schedule)
        result += s.what == what && s.when == when;
    return result;
}
/// The product number `which` of a phase, in the order of the schedule.
constexpr auto product(auto const& plan, phase when, int which = 0) {
    for (sluice::scheduled const& s : plan.schedule)
        if (s.what == task::product && s.when == when && which-- == 0)
            return plan.products[s.index];
    return std::remove_cvref_t<decltype(plan.products[0])>{};
}
constexpr int members(auto const& plan, phase when, int which = 0) {
    auto const p = product(plan, when, which);
    return p.kind == op::product ? p.count : 0;
}
template <class Lines>
constexpr std::string_view left_of(Lines, phase when, int which = 0) {
    using of = plans_of<Lines>;
    return passes_of<Lines>::graph.name_of(product(of::forward, when, which).left);
}

} // namespace

TEST_CASE("plan: the cuDNN GRU has one recurrent product of three members and one block") {
    constexpr auto const& plan = plans_of<decltype(cudnn_gru)>::forward;
    BOTH(count(plan, task::product, phase::before) == 1);
    BOTH(members(plan, phase::before) == 3);
    BOTH(left_of(cudnn_gru, phase::before) == "x");
    BOTH(count(plan, task::product, phase::loop) == 1);
    BOTH(members(plan, phase::loop) == 3);
    BOTH(left_of(cudnn_gru, phase::loop) == "h");
    BOTH(count(plan, task::block, phase::loop) == 1);
    BOTH(count(plan, task::block, phase::before) == 0);
    BOTH(count(plan, task::product, phase::after) + count(plan, task::block, phase::after) == 0);
    BOTH(plan.copies.empty());
}

TEST_CASE("plan: the GRU with the reset before the product has two levels") {
    constexpr auto const& plan = plans_of<decltype(gru)>::forward;
    BOTH(count(plan, task::product, phase::before) == 1);
    BOTH(members(plan, phase::before) == 3);
    BOTH(count(plan, task::product, phase::loop) == 2);
    BOTH(members(plan, phase::loop, 0) == 2);
    BOTH(members(plan, phase::loop, 1) == 1);
    BOTH(product(plan, phase::loop, 0).level == 1);
    BOTH(product(plan, phase::loop, 1).level == 2);
    BOTH(count(plan, task::block, phase::loop) == 2);
}

TEST_CASE("plan: the minimal gated unit has two levels of one product each") {
    constexpr auto const& plan = plans_of<decltype(mgu)>::forward;
    BOTH(members(plan, phase::before) == 2);
    BOTH(members(plan, phase::loop, 0) == 1);
    BOTH(members(plan, phase::loop, 1) == 1);
    BOTH(count(plan, task::product, phase::loop) == 2);
}

TEST_CASE("plan: an LSTM packs four gates on either side; its projection is recurrent") {
    constexpr auto const& plan = plans_of<decltype(lstm)>::forward;
    BOTH(count(plan, task::product, phase::before) == 1);
    BOTH(members(plan, phase::before) == 4);
    BOTH(left_of(lstm, phase::before) == "x");
    BOTH(count(plan, task::product, phase::loop) == 2);
    BOTH(members(plan, phase::loop, 0) == 4);
    BOTH(left_of(lstm, phase::loop, 0) == "m");
    BOTH(members(plan, phase::loop, 1) == 1);
    BOTH(count(plan, task::block, phase::loop) == 1);
}

TEST_CASE("plan: products over groups are packed as such") {
    constexpr auto const& plan = plans_of<decltype(glstm)>::forward;
    BOTH(plan.packs.size() == 2);
    BOTH(plan.packs[0].grouped);
    BOTH(plan.packs[1].grouped);
    BOTH(members(plan, phase::before) == 4);
    BOTH(members(plan, phase::loop) == 4);
    BOTH(count(plan, task::block, phase::loop) == 1);
}

TEST_CASE("plan: a dense layer has no work in the loop") {
    constexpr auto const& plan = plans_of<decltype(dense)>::forward;
    BOTH(count(plan, task::product, phase::loop) + count(plan, task::block, phase::loop) == 0);
    BOTH(count(plan, task::product, phase::before) == 1);
    BOTH(count(plan, task::block, phase::before) == 1);
}

TEST_CASE("plan: a projection that only the output reads is postponed") {
    constexpr auto lines = sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h">), output = next(h) * W<"y">);
    constexpr auto const& plan = plans_of<decltype(lines)>::forward;
    BOTH(count(plan, task::product, phase::after) == 1);
    BOTH(members(plan, phase::after) == 1);
    BOTH(count(plan, task::product, phase::loop) == 1);
}

TEST_CASE("plan: an activation of the input only stands before the loop") {
    constexpr auto lines = sluice::lines(f = sigmoid(x * W<"f"> + b<"f">), next(h) = f * h + (1 - f));
    constexpr auto const& plan = plans_of<decltype(lines)>::forward;
    BOTH(count(plan, task::block, phase::before) == 1);
    BOTH(count(plan, task::block, phase::loop) == 1);
    BOTH(count(plan, task::product, phase::loop) == 0);
}

TEST_CASE("plan: a sum that only the loop reads is made there, not in a pass of its own") {
    constexpr auto lines = sluice::lines(next(h) = tanh(x * W<"h"> + b<"h"> + h * R<"h">));
    constexpr auto const& plan = plans_of<decltype(lines)>::forward;
    BOTH(count(plan, task::block, phase::before) == 0);
    BOTH(count(plan, task::block, phase::loop) == 1);
}

TEST_CASE("plan: a grouped product that a dense one reads stands alone") {
    constexpr auto lines = sluice::lines(f = x * grouped(W<"f", units>), n = x * grouped(W<"n", units>),
                                         next(h) = f * R<"h"> + n);
    constexpr auto const& plan = plans_of<decltype(lines)>::forward;
    BOTH(plan.packs.size() == 3);
}
