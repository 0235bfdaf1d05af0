// SPDX-License-Identifier: BSL-1.0
// Cells and stacks of tests with random parameters and states, and whether what two of them give is near.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <support/tensors.hpp>
#include <vector>

namespace support {

using lengths_type = std::vector<std::size_t>;

/// Random numbers for all parameters, no two layers alike.
template <class Net>
Net shuffled(Net net, std::string_view called = "parameters", double scale = 0.6) {
    using S = typename Net::scalar_type;
    net.update_values([&](std::span<S> all) {
        sluice::random_stream numbers(sluice::seed{11}, called);
        for (S& value : all)
            value = sluice::rounded<S>(numbers.uniform(-scale, scale));
    });
    return net;
}
/// Random numbers for all states of all layers.
template <class States>
States random_states(States states, std::string_view called) {
    sluice::random_stream numbers(sluice::seed{12}, called);
    sluice::for_each_parameter(states, [&](auto, auto& tensor) {
        for (auto& value : tensor)
            value = sluice::rounded<std::decay_t<decltype(value)>>(numbers.uniform(-1, 1));
    });
    return states;
}
/// NaN after the ends of the sequences, which may not be read.
template <class S>
xt::xtensor<S, 3> padded_with_nan(xt::xtensor<S, 3> values, lengths_type const& lengths) {
    auto const [steps, batch, width] = values.shape();
    for (std::size_t r = 0; r < lengths.size(); ++r)
        for (std::size_t t = lengths[r]; t < steps; ++t)
            std::fill_n(values.data() + (t * batch + r) * width, width,
                        sluice::rounded<S>(std::numeric_limits<double>::quiet_NaN()));
    return values;
}

/// A worse distance than this is a fault. The same numbers are summed in another order.
template <class S>
constexpr double near_enough = sizeof(S) == 8   ? 1e-12
                               : sizeof(S) == 4 ? 1e-5
                                                : 1e-2;

/// Equal shapes and numbers that are near; of tensors without numbers, equal shapes.
template <class A, class B>
bool near(A const& a, B const& b) {
    return std::ranges::equal(a.shape(), b.shape()) &&
           (a.size() == 0 || distance(a, b) < near_enough<typename A::value_type>);
}
/// The same bits, or no numbers on both sides.
template <class A, class B>
bool same(A const& a, B const& b) {
    return a.size() == 0 ? std::ranges::equal(a.shape(), b.shape()) : same_bits(a, b);
}
/// States of all layers; two nets may have types of their own for them.
template <class A, class B>
bool near_states(A const& a, B const& b) {
    bool all = true;
    sluice::for_each_parameter(
        a, b, [&](auto, auto const& one, auto const& other) { all = all && near(one, other); });
    return all;
}
template <class States>
bool equal_states(States const& a, States const& b) {
    bool all = true;
    sluice::for_each_parameter(
        a, b, [&](auto, auto const& one, auto const& other) { all = all && same(one, other); });
    return all;
}

/// Whether the numbers of draw() are, on the average of so many draws, those that are expected: as near as
/// five deviations of a mean.
template <class Draw>
bool is_mean(xt::xtensor<double, 3> const& expected, int draws, Draw draw) {
    xt::xtensor<double, 3> sum = xt::zeros<double>(expected.shape()), squares = sum;
    for (int n = 0; n < draws; ++n) {
        xt::xtensor<double, 3> const ys = draw();
        sum += ys;
        squares += ys * ys;
    }
    bool all = sum.size() > 0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
        double const mean = sum.data()[i] / draws;
        double const deviation = std::sqrt((squares.data()[i] / draws - mean * mean) / draws);
        all = all && deviation > 0 && std::abs(mean - expected.data()[i]) < 5 * deviation;
    }
    return all;
}

} // namespace support
