// SPDX-License-Identifier: BSL-1.0
#include "fake_cell.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <sluice/train/adam.hpp>
#include <stdexcept>
#include <vector>

TEST_CASE_TEMPLATE("adam: the first step is the learning rate against the gradient's sign, at any scale", S,
                   float, double) {
    for (double scale : {1.0, 1e-3, 1e3}) {
        fake_cell<S> cell;
        sluice::adam optimizer(cell, {.learning_rate = 0.01});
        optimizer.step(cell, fake_cell<S>::pattern(scale));
        auto const g = flat(fake_cell<S>::pattern(scale));
        auto const now = flat(cell.map);
        for (std::size_t i = 0; i < now.size(); ++i)
            CHECK(now[i] == doctest::Approx(-0.01 * g[i] / (std::abs(g[i]) + 1e-8)).epsilon(1e-5));
    }
}

TEST_CASE_TEMPLATE("adam: a constant gradient gives equal steps", S, float, double) {
    // both corrected moments then equal g and g^2 at every step
    fake_cell<S> cell;
    sluice::adam optimizer(cell, {.learning_rate = 0.001});
    for (int i = 0; i < 50; ++i)
        optimizer.step(cell, fake_cell<S>::pattern());
    auto const g = flat(fake_cell<S>::pattern());
    auto const now = flat(cell.map);
    for (std::size_t i = 0; i < now.size(); ++i)
        CHECK(now[i] == doctest::Approx(-0.05 * (g[i] > 0 ? 1 : -1)).epsilon(1e-3));
    CHECK(optimizer.steps() == 50);
}

TEST_CASE_TEMPLATE("adam: against the moments as explicit weighted sums", S, float, double) {
    // m_t / (1 - b1^t) is the average of g_1 ... g_t with weights b1^(t-k), likewise v with g^2 and b2
    double const rate = 0.02;
    double const b1 = 0.7;
    double const b2 = 0.95;
    double const epsilon = 1e-3;
    std::vector<double> const scales{1, -2, 0.5, 0, 3, -0.25, 1.5};
    fake_cell<S> cell;
    cell.map = fake_cell<S>::pattern();
    sluice::adam optimizer(cell, {.learning_rate = rate, .beta1 = b1, .beta2 = b2, .epsilon = epsilon});
    for (double scale : scales)
        optimizer.step(cell, fake_cell<S>::pattern(scale));

    auto const g = flat(fake_cell<S>::pattern());
    auto w = flat(fake_cell<S>::pattern());
    auto const average = [&](std::size_t t, double beta, auto&& term) {
        double sum = 0;
        double weights = 0;
        for (std::size_t k = 0; k <= t; ++k) {
            double const weight = std::pow(beta, static_cast<double>(t - k));
            sum += weight * term(scales[k]);
            weights += weight;
        }
        return sum / weights;
    };
    auto const now = flat(cell.map);
    for (std::size_t i = 0; i < w.size(); ++i) {
        for (std::size_t t = 0; t < scales.size(); ++t) {
            double const mean = average(t, b1, [&](double s) { return s * g[i]; });
            double const square = average(t, b2, [&](double s) { return s * g[i] * s * g[i]; });
            w[i] -= rate * mean / (std::sqrt(square) + epsilon);
        }
        CHECK(now[i] == doctest::Approx(w[i]).epsilon(std::is_same_v<S, float> ? 1e-5 : 1e-12));
    }
}

TEST_CASE("adam: finds the minimum of a narrow valley") {
    fake_cell<double> cell;
    cell.map = fake_cell<double>::pattern(3);
    auto const goal = fake_cell<double>::pattern(-1);
    sluice::adam optimizer(cell, {.learning_rate = 0.05});
    for (int i = 0; i < 3000; ++i) {
        auto gradients = fake_cell<double>::zeros(2, 3);
        double steepness = 1e-3;
        sluice::for_each_parameter(gradients, [&](auto key, auto& gradient) {
            gradient = steepness * (cell.map[key] - goal[key]);
            steepness *= 1e3;
        });
        optimizer.step(cell, gradients);
    }
    auto const now = flat(cell.map);
    auto const wanted = flat(goal);
    for (std::size_t i = 0; i < now.size(); ++i)
        CHECK(std::abs(now[i] - wanted[i]) < 1e-4);
}

TEST_CASE("adam: refusals") {
    fake_cell<double> cell;
    CHECK_THROWS_WITH_AS(sluice::adam(cell, {.beta1 = 1}), doctest::Contains("beta1"), std::invalid_argument);
    CHECK_THROWS_AS(sluice::adam(cell, {.beta2 = -0.1}), std::invalid_argument);
    CHECK_THROWS_WITH_AS(sluice::adam(cell, {.epsilon = 0}), doctest::Contains("epsilon"),
                         std::invalid_argument);
    CHECK_NOTHROW(sluice::adam(cell, {.beta1 = 0, .beta2 = 0}));
}
