// SPDX-License-Identifier: BSL-1.0
// Gradients of losses against central differences.
#pragma once

#include <cmath>
#include <doctest/doctest.h>
#include <sluice/core/xtensor_headers.hpp>

namespace loss_check {

/// The gradient of loss(prediction) against central differences in double.
template <std::size_t N, class Loss>
void check_gradient(xt::xtensor<double, N> prediction, Loss&& loss) {
    auto const gradient = loss(prediction).gradient;
    CHECK(gradient.shape() == prediction.shape());
    for (std::size_t i = 0; i < prediction.size(); ++i) {
        double const center = prediction.data()[i];
        double const step = 1e-5;
        prediction.data()[i] = center + step;
        double const above = loss(prediction).loss();
        prediction.data()[i] = center - step;
        double const below = loss(prediction).loss();
        prediction.data()[i] = center;
        CHECK(std::abs(gradient.data()[i] - (above - below) / (2 * step)) < 1e-9);
    }
}

inline xt::xtensor<double, 3> sequence(std::size_t time, std::size_t batch, std::size_t classes) {
    auto xs = xt::xtensor<double, 3>::from_shape({time, batch, classes});
    for (std::size_t i = 0; i < xs.size(); ++i)
        xs.data()[i] = 2 * std::sin(1.7 * static_cast<double>(i) + 0.3);
    return xs;
}

} // namespace loss_check
