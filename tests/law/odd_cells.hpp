// SPDX-License-Identifier: BSL-1.0
// Odd equations: the planned lowering must give what the reference gives, in both directions and with
// sequences that end early, and its gradients must agree with differences.
#pragma once

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <string>
#include <support/tensors.hpp>

namespace odd {

using support::distance;

inline auto uniform_like(sluice::random_stream& numbers, auto tensor) {
    for (double& v : tensor)
        v = numbers.uniform(-1, 1);
    return tensor;
}

/// Compares the lowerings of a cell on a batch of three, of these lengths (none: all are full), and, where
/// the cell has no kinks, its gradients with differences.
template <class Page, bool IsSmooth>
void check(sluice::sizes const& n, std::vector<std::size_t> const& lengths,
           sluice::settings const& settings) {
    using planned = sluice::cell<Page, double>;
    using reference = sluice::cell<Page, double, sluice::xtensor::reference>;
    planned fast(n, {}, settings);
    reference slow(n, {}, settings);

    sluice::random_stream numbers(sluice::seed{11}, "odd cells");
    sluice::for_each_parameter(fast.parameters(), [&](auto key, auto const& tensor) {
        auto const values = uniform_like(numbers, tensor);
        fast.assign(key, values);
        slow.assign(key, values);
    });
    auto const random_state = [&](auto map) {
        sluice::for_each_parameter(map, [&](auto, auto& t) { t = uniform_like(numbers, t); });
        return map;
    };
    auto const xs =
        uniform_like(numbers, xt::xtensor<double, 3>(std::array<std::size_t, 3>{4, 3, n.input}, 0.0));
    auto const state = random_state(fast.zero_state(3));

    auto const run = sluice::unroll(fast, xs, state, {.lengths = lengths});
    auto const same = sluice::unroll(slow, xs, state, {.lengths = lengths});
    CHECK(distance(run.outputs, same.outputs) < 1e-12);
    sluice::for_each_parameter(run.state, same.state, [](auto key, auto const& a, auto const& b) {
        CAPTURE(std::string(key.c_str()));
        CHECK(distance(a, b) < 1e-12);
    });

    auto const dys = uniform_like(numbers, run.outputs);
    auto const dstate = random_state(run.state);
    auto const back = sluice::backward(fast, run, dys, dstate);
    auto const back_too = sluice::backward(slow, same, dys, dstate);
    CHECK(distance(back.inputs, back_too.inputs) < 1e-12);
    auto const compare = [](auto key, auto const& a, auto const& b) {
        CAPTURE(std::string(key.c_str()));
        CHECK(distance(a, b) < 1e-12);
    };
    sluice::for_each_parameter(back.state, back_too.state, compare);
    sluice::for_each_parameter(back.parameters, back_too.parameters, compare);

    auto const without_inputs = sluice::backward(fast, run, dys, dstate, {.inputs = false});
    sluice::for_each_parameter(without_inputs.parameters, back.parameters, compare);
    CHECK(without_inputs.inputs.size() == 0);

    for (std::array<std::size_t, 3> const shape :
         {std::array<std::size_t, 3>{0, 3, n.input}, {4, 0, n.input}}) {
        auto const nothing = sluice::unroll(fast, xt::xtensor<double, 3>(shape, 0.0),
                                            fast.zero_state(shape[1]), {.lengths = {}});
        auto const gradient = sluice::backward(fast, nothing, nothing.outputs);
        sluice::for_each_parameter(gradient.parameters,
                                   [](auto, auto const& g) { CHECK(support::all_zero(g)); });
    }

    if (!IsSmooth)
        return;
    auto const worst = sluice::gradient_check(fast, xs, state, {.lengths = lengths}).worst();
    CAPTURE(worst.called);
    CHECK(worst.largest < 1e-7);
}

template <class Page, bool IsSmooth = true>
void check(sluice::sizes const& n, sluice::settings const& settings = {}) {
    check<Page, IsSmooth>(n, {}, settings);
    check<Page, IsSmooth>(n, {2, 0, 4}, settings);
}

/// A cell with random parameters.
template <class Page>
auto made(sluice::sizes const& n) {
    sluice::cell<Page, double> cell(n, sluice::seed{7});
    support::randomize(cell);
    return cell;
}
/// All numbers of a parameter are `value`.
template <class Cell, class Key>
void fill(Cell& cell, Key key, double value) {
    auto tensor = cell.parameters()[key];
    auto copy = xt::eval(xt::zeros_like(tensor));
    copy.fill(value);
    cell.assign(key, copy);
}
/// A NaN in a step of a row stays in that row, and in the steps from its own on; `outputs_of(cell, xs)` runs
/// the cell, of 3 inputs and 16 outputs.
template <class Cell, class Outputs>
void keeps_a_nan(Cell const& cell, Outputs const& outputs_of) {
    auto xs = support::random_sequence<double>(5, 2, 3);
    auto const before = outputs_of(cell, xs);
    xs(2, 1, 0) = std::numeric_limits<double>::quiet_NaN();
    auto const after = outputs_of(cell, xs);
    CHECK(support::distance(xt::view(after, xt::all(), 0), xt::view(before, xt::all(), 0)) == 0);
    CHECK(support::distance(xt::view(after, xt::range(0, 2)), xt::view(before, xt::range(0, 2))) == 0);
    for (std::size_t t = 2; t < 5; ++t)
        for (std::size_t i = 0; i < 16; ++i)
            CHECK(std::isnan(after(t, 1, i)));
}

} // namespace odd
