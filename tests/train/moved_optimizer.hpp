// SPDX-License-Identifier: BSL-1.0
// An optimiser that was moved from, and one whose net was, wherever the net lies.
#pragma once

#include <doctest/doctest.h>
#include <sluice/core/name.hpp>
#include <stdexcept>
#include <utility>

/// Of a net with a parameter b_r, which counts its updates.
template <class Optimizer, class Net, class Gradients>
void check_moved(Net net, Gradients const& gradients) {
    using namespace sluice::literals;
    Optimizer first(net);
    auto second = std::move(first);
    auto const refused = [](auto call, char const* words) {
        CHECK_THROWS_WITH_AS(call(), doctest::Contains(words), std::invalid_argument);
    };
    auto const all_refused = [&](auto& moved) {
        auto const says_so = [&](auto call) {
            refused(call, "the optimiser was moved from; use the one that it was");
        };
        says_so([&] { moved.step(net, gradients); });
        says_so([&] { std::as_const(moved).visit_tensors([](auto, auto, auto) {}); });
        says_so([&] { moved.visit_tensors([](auto, auto, auto) {}); });
        says_so([&] { moved.freeze("b_r"_s); });
        says_so([&] { moved.constrain("b_r"_s, nullptr); });
        auto copy = moved;
        says_so([&] { copy.step(net, gradients); });
    };
    all_refused(first);
    Optimizer third(net);
    third = std::move(second);
    all_refused(second);
    CHECK(net.updates == 0);
    third.step(net, gradients);
    second = third;
    second.step(net, gradients);
    CHECK(third.steps() == 1);
    CHECK(second.steps() == 2);

    auto const moved_net = std::move(net);
    refused([&] { Optimizer{net}; }, "the cell's map of parameters was moved from");
    refused([&] { second.step(net, gradients); }, "the cell's map of parameters was moved from");
}
