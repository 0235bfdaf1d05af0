// SPDX-License-Identifier: BSL-1.0
#include "fake_cell.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/train/adam.hpp>
#include <stdexcept>
#include <vector>

namespace adam_test {

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

TEST_CASE_TEMPLATE("adam: settings that have no meaning in the cell's numbers are refused", S, float,
                   double) {
    using limits = std::numeric_limits<S>;
    fake_cell<S> cell;
    auto const refused = [&](sluice::adam_options const& options, char const* sentence) {
        CHECK_THROWS_WITH_AS(sluice::adam(cell, options), doctest::Contains(sentence), std::invalid_argument);
    };
    double const most = limits::max();
    double const smallest = std::sqrt(static_cast<double>(limits::min()));
    for (double const epsilon : {0.0, -1e-8, 1e-320, static_cast<double>(limits::denorm_min()),
                                 static_cast<double>(limits::min()), smallest / 2, std::nan(""), 2 * most})
        refused({.epsilon = epsilon}, "epsilon");
    CHECK_NOTHROW(sluice::adam(cell, {.epsilon = smallest}));
    double const nearly_one = 1 - static_cast<double>(limits::epsilon()) / 5; // 1 as an S
    for (double const beta : {nearly_one, 1.0, 2.0, 1e300, -0.1, std::nan("")}) {
        refused({.beta1 = beta}, "beta1");
        refused({.beta2 = beta}, "beta2");
    }
    CHECK_NOTHROW(sluice::adam(cell, {.beta1 = 1 - static_cast<double>(limits::epsilon())}));
    refused({.learning_rate = most / 2}, "learning rate"); // times 10 in the first step
    CHECK_NOTHROW(sluice::adam(cell, {.learning_rate = most / 11}));
    CHECK_NOTHROW(sluice::adam(cell, {.beta1 = 0, .beta2 = 0}));
}

TEST_CASE("adam: a refusal shows small numbers") {
    fake_cell<float> cell;
    CHECK_THROWS_WITH_AS(sluice::adam(cell, {.epsilon = 1e-50}),
                         "sluice: adam expects an epsilon from 1.0842021724855044e-19 to "
                         "3.4028234663852886e+38, but it is 1e-50",
                         std::invalid_argument);
}

TEST_CASE("adam: gradients with squares that a float cannot hold") {
    fake_cell<float> cell;
    sluice::adam optimizer(cell, {.epsilon = 1.1e-19});
    // too large: refused, since the weight would rest for ever
    auto const huge = fake_cell<float>::pattern(1e30);
    CHECK_THROWS_WITH_AS(optimizer.step(cell, huge), doctest::Contains("W_r expects gradients from -"),
                         std::invalid_argument);
    CHECK(flat(cell.map) == flat(fake_cell<float>::zeros(2, 3)));
    CHECK(optimizer.steps() == 0);
    // too small: a step of some tens of learning rates at most
    for (double scale = 1e-15; scale > 1e-40; scale /= 2) {
        sluice::adam fresh(cell, {.epsilon = 1.1e-19});
        cell.map = fake_cell<float>::zeros(2, 3);
        fresh.step(cell, fake_cell<float>::pattern(scale));
        for (double const w : flat(cell.map))
            CHECK(std::abs(w) < 0.04);
    }
}

TEST_CASE("adam: an average of squares is never negative") {
    fake_cell<double> cell;
    sluice::adam optimizer(cell);
    for (double const bad : {-1.0, -1e-300, std::nan(""), std::numeric_limits<double>::infinity()})
        CHECK_THROWS_WITH_AS(optimizer.visit_tensors([&](std::string_view name, auto, auto values) {
            if (name == "v/W_r")
                values.back() = static_cast<typename decltype(values)::value_type>(bad);
        }),
                             doctest::Contains("expects v from 0 to"), std::invalid_argument);
}

} // namespace adam_test
