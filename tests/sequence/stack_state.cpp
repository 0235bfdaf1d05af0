// SPDX-License-Identifier: BSL-1.0
// The states of all layers in one tensor each: rows in and out, and maps of layers of different pages.
#include <sluice/sequence/stack_state.hpp>

#include <doctest/doctest.h>
#include <sluice/cell/gru.hpp>
#include <sluice/cell/lstm.hpp>
#include <sluice/core/arithmetic.hpp>
#include <string>

namespace stack_state_test {

namespace {

using namespace sluice::literals;
using sluice::detail::row_of_states, sluice::detail::set_row_of_states, sluice::detail::zero_stacked_states;

using page = sluice::lstm_with<sluice::activation::tanh, false, true>; // h is narrower than c
constexpr sluice::sizes n{.input = 4, .units = 3, .projection = 2};

} // namespace

TEST_CASE("stack state: zeros have the width of each state, also where there are no rows") {
    auto const states = zero_stacked_states<page, double>(n, 4, 5);
    CHECK(states["c"_s] == xt::zeros<double>({4, 5, 3}));
    CHECK(states["h"_s] == xt::zeros<double>({4, 5, 2}));
    CHECK(zero_stacked_states<page, double>(n, 0, 5)["c"_s].size() == 0);
    CHECK(zero_stacked_states<page, double>(n, 4, 0)["h"_s].shape()[0] == 4);
    CHECK_THROWS_AS((zero_stacked_states<page, double>(n, std::size_t{1} << 31, std::size_t{1} << 32)),
                    std::invalid_argument);
}

TEST_CASE("stack state: a row is the state of a cell, and goes back where it was") {
    auto states = zero_stacked_states<page, double>(n, 3, 2);
    double next = 0;
    for (double& v : states["c"_s])
        v = ++next;
    for (double& v : states["h"_s])
        v = -++next;
    auto const before = states;
    auto one = row_of_states<page, double>(states, 1);
    CHECK(one["c"_s] == xt::xtensor<double, 2>{{7, 8, 9}, {10, 11, 12}});
    CHECK(one["h"_s] == xt::xtensor<double, 2>{{-23, -24}, {-25, -26}});
    one["c"_s](1, 2) = 100;
    set_row_of_states(states, 1, one);
    CHECK(states["c"_s](1, 1, 2) == 100);
    states["c"_s](1, 1, 2) = before["c"_s](1, 1, 2);
    CHECK(states["c"_s] == before["c"_s]);
    CHECK(states["h"_s] == before["h"_s]);
}

TEST_CASE("stack state: layers of different pages have maps of their own, which are visited in their order") {
    using states_type = sluice::states_by_layer<float, sluice::lstm, sluice::gru>;
    static_assert(sluice::detail::are_by_layer<states_type> &&
                  !sluice::detail::are_by_layer<sluice::stacked_states<sluice::gru, float>>);
    states_type a, b;
    a.get<0>() = zero_stacked_states<sluice::lstm, float>(n, 1, 2);
    a.get<1>() = zero_stacked_states<sluice::gru, float>({.input = 3, .units = 7}, 2, 2);
    b = a;
    std::string order;
    sluice::for_each_parameter(a, [&](auto, auto& tensor) {
        order += std::to_string(tensor.shape()[0]) + "x" + std::to_string(tensor.shape()[2]) + " ";
        tensor.fill(1);
    });
    CHECK(order == "1x3 1x3 2x7 ");
    int pairs = 0;
    sluice::for_each_parameter(a, b, [&](auto, auto const& ones, auto const& zeros) {
        ++pairs;
        CHECK(ones.shape() == zeros.shape());
        CHECK((ones(0, 0, 0) == 1 && zeros(0, 0, 0) == 0));
    });
    CHECK(pairs == 3);
    CHECK(&sluice::detail::part_of<1>(a) == &a.get<1>());
    auto same = zero_stacked_states<sluice::gru, float>({.units = 7}, 1, 1);
    CHECK(&sluice::detail::part_of<1>(same) == &same); // of equal layers: one map for all
}

} // namespace stack_state_test
