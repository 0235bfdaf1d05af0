// SPDX-License-Identifier: BSL-1.0
#include "fake_cell.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/train/sgd.hpp>
#include <stdexcept>
#include <vector>

namespace sgd_test {

TEST_CASE_TEMPLATE("sgd: without momentum, by hand", S, float, double) {
    fake_cell<S> cell;
    cell.map = fake_cell<S>::pattern();
    auto const w = flat(cell.map);
    auto const g = flat(fake_cell<S>::pattern(4));
    sluice::sgd optimizer(cell, {.learning_rate = 0.25});
    optimizer.step(cell, fake_cell<S>::pattern(4));
    auto const now = flat(cell.map);
    for (std::size_t i = 0; i < w.size(); ++i)
        CHECK(now[i] == w[i] - 0.25 * g[i]); // exact: the numbers are short
}

TEST_CASE_TEMPLATE("sgd: momentum against its closed formula", S, float, double) {
    // v_n = sum_k mu^(n-k) g_k, so w_n = w_0 - lr sum_k g_k (1 - mu^(n-k+1)) / (1 - mu)
    fake_cell<S> cell;
    cell.map = fake_cell<S>::pattern();
    auto const start = flat(cell.map);
    double const rate = 0.05;
    double const mu = 0.8;
    sluice::sgd optimizer(cell, {.learning_rate = rate, .momentum = mu});
    std::vector<double> const scales{1, -0.5, 2, 0, 0.25, -3};
    for (double scale : scales)
        optimizer.step(cell, fake_cell<S>::pattern(scale));
    auto const g = flat(fake_cell<S>::pattern());
    auto const now = flat(cell.map);
    double factor = 0;
    for (std::size_t k = 0; k < scales.size(); ++k)
        factor += scales[k] * (1 - std::pow(mu, static_cast<double>(scales.size() - k))) / (1 - mu);
    for (std::size_t i = 0; i < now.size(); ++i)
        CHECK(now[i] == doctest::Approx(start[i] - rate * factor * g[i])
                            .epsilon(std::is_same_v<S, float> ? 1e-5 : 1e-13));
}

TEST_CASE_TEMPLATE("sgd: a momentum that fitted a lower learning rate is refused with a higher one", S, float,
                   double) {
    fake_cell<S> cell;
    sluice::sgd optimizer(cell, {.learning_rate = 0});
    optimizer.step(cell, fake_cell<S>::pattern(static_cast<double>(std::numeric_limits<S>::max()) / 64));
    auto const before = flat(cell.map);
    optimizer.set_learning_rate(1000);
    CHECK_THROWS_WITH_AS(optimizer.step(cell, fake_cell<S>::pattern()),
                         doctest::Contains("expects momentum from "), std::invalid_argument);
    CHECK(flat(cell.map) == before);
    optimizer.set_learning_rate(0);
    CHECK_NOTHROW(optimizer.step(cell, fake_cell<S>::pattern()));
}

TEST_CASE_TEMPLATE("sgd: refusals", S, float, double) {
    fake_cell<S> cell;
    double const nearly_one = 1 - static_cast<double>(std::numeric_limits<S>::epsilon()) / 5; // 1 as an S
    for (double const momentum : {nearly_one, 1.0, -0.1, std::nan("")})
        CHECK_THROWS_WITH_AS(sluice::sgd(cell, {.momentum = momentum}), doctest::Contains("momentum"),
                             std::invalid_argument);
    CHECK_NOTHROW(sluice::sgd(cell, {.momentum = 0}));
}

} // namespace sgd_test
