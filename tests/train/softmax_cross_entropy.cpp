// SPDX-License-Identifier: BSL-1.0
// Softmax cross-entropy by hand, its gradient against differences, and logits of any size.
#include "loss_check.hpp"

#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/train/softmax_cross_entropy.hpp>
#include <vector>

namespace softmax_cross_entropy_test {

using namespace loss_check;
using sluice::softmax_cross_entropy, sluice::sequence_mask;

TEST_CASE_TEMPLATE("softmax cross-entropy: by hand", S, float, double) {
    xt::xtensor<S, 2> const z{{0, 0, 0, 0}, {S(std::log(2.0)), 0, 0, 0}};
    xt::xtensor<int, 1> const labels{2, 0};
    auto const [loss, gradient] = softmax_cross_entropy(z, labels);
    CHECK(loss == doctest::Approx((std::log(4.0) + std::log(2.5)) / 2));
    CHECK(gradient(0, 0) == doctest::Approx(0.125));
    CHECK(gradient(0, 2) == doctest::Approx(-0.375));
    CHECK(gradient(1, 0) == doctest::Approx(-0.3));
    CHECK(gradient(1, 3) == doctest::Approx(0.1));
    CHECK(softmax_cross_entropy(z + S(3), labels).loss() == doctest::Approx(loss)); // shifts do not matter
    CHECK(softmax_cross_entropy(z, xt::xtensor<std::uint8_t, 1>{2, 0}).loss() == loss);
}

TEST_CASE("softmax cross-entropy: gradient, and rows of it sum to zero") {
    auto const z = sequence(3, 2, 6);
    xt::xtensor<std::int64_t, 2> const labels{{0, 5}, {3, 3}, {1, 4}};
    check_gradient<3>(z, [&](auto const& p) { return softmax_cross_entropy(p, labels); });
    xt::xtensor<double, 2> const weights{{1, 0.5}, {0, 2}, {3, 1}};
    check_gradient<3>(z, [&](auto const& p) { return softmax_cross_entropy(p, labels, weights); });
    check_gradient<2>(xt::view(z, 1),
                      [&](auto const& p) { return softmax_cross_entropy(p, xt::view(labels, 1)); });
    auto const gradient = softmax_cross_entropy(z, labels, weights).gradient;
    for (std::size_t t = 0; t < 3; ++t)
        for (std::size_t b = 0; b < 2; ++b) {
            double sum = 0;
            for (std::size_t c = 0; c < 6; ++c)
                sum += gradient(t, b, c);
            CHECK(std::abs(sum) < 1e-15);
        }
}

TEST_CASE_TEMPLATE("softmax cross-entropy: extreme logits", S, float, double) {
    xt::xtensor<S, 2> const z{{10000, -10000, 0}};
    auto const right = softmax_cross_entropy(z, xt::xtensor<int, 1>{0});
    CHECK(right.loss() == 0);
    CHECK(right.gradient == xt::zeros<S>({1, 3}));
    auto const wrong = softmax_cross_entropy(z, xt::xtensor<int, 1>{1});
    CHECK(wrong.loss() == 20000);
    CHECK(wrong.gradient == xt::xtensor<S, 2>{{1, -1, 0}});

    constexpr S huge = std::numeric_limits<S>::max() / 4;
    auto const far = softmax_cross_entropy(xt::xtensor<S, 2>{{huge, -huge}}, xt::xtensor<int, 1>{1});
    CHECK(far.loss() == doctest::Approx(2 * static_cast<double>(huge)));
    CHECK(far.gradient == xt::xtensor<S, 2>{{1, -1}});

    constexpr S never = -std::numeric_limits<S>::infinity();
    auto const masked = softmax_cross_entropy(xt::xtensor<S, 2>{{1, never, 1}}, xt::xtensor<int, 1>{2});
    CHECK(masked.loss() == doctest::Approx(std::log(2.0)));
    CHECK(masked.gradient == xt::xtensor<S, 2>{{S(0.5), 0, S(-0.5)}});

    xt::xtensor<S, 2> const spoilt{{1, std::numeric_limits<S>::quiet_NaN()}};
    CHECK(std::isnan(softmax_cross_entropy(spoilt, xt::xtensor<int, 1>{0}).loss()));
}

TEST_CASE("softmax cross-entropy: one class is certain, and an infinite or broken logit is no number") {
    auto const one = softmax_cross_entropy(xt::xtensor<double, 2>{{-3}, {1e300}}, xt::xtensor<int, 1>{0, 0});
    CHECK(one.loss() == 0);
    CHECK(one.gradient == xt::zeros<double>({2, 1}));
    constexpr double infinite = std::numeric_limits<double>::infinity();
    CHECK(std::isnan(
        softmax_cross_entropy(xt::xtensor<double, 2>{{0, infinite}}, xt::xtensor<int, 1>{0}).loss()));
    CHECK(std::isnan(
        softmax_cross_entropy(xt::xtensor<double, 2>{{-infinite, -infinite}}, xt::xtensor<int, 1>{0})
            .loss()));
    // the class that cannot be is the one that is
    CHECK(softmax_cross_entropy(xt::xtensor<double, 2>{{-infinite, 0}}, xt::xtensor<int, 1>{0}).loss() ==
          infinite);
}

} // namespace softmax_cross_entropy_test
