// SPDX-License-Identifier: BSL-1.0
// Mean squared error by hand, and its gradient against differences.
#include "loss_check.hpp"

#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/train/mean_squared_error.hpp>
#include <vector>

namespace mean_squared_error_test {

using namespace loss_check;
using sluice::mean_squared_error, sluice::sequence_mask;

TEST_CASE_TEMPLATE("mean squared error: by hand", S, float, double) {
    xt::xtensor<S, 2> const y{{1, 2, 3}, {0, -1, 4}};
    xt::xtensor<S, 2> const t{{1, 0, 2}, {3, -1, 4}};
    auto const [loss, gradient] = mean_squared_error(y, t);
    CHECK(loss == doctest::Approx(14.0 / 6));
    CHECK(gradient(0, 1) == doctest::Approx(4.0 / 6));
    CHECK(gradient(1, 0) == doctest::Approx(-6.0 / 6));
    CHECK(gradient(1, 1) == 0);
    // any expression will do
    CHECK(mean_squared_error(y + y, 2 * t).loss() == doctest::Approx(4 * 14.0 / 6));
    // a row counts as often as its weight says
    CHECK(mean_squared_error(y, t, xt::xtensor<int, 1>{3, 1}).loss() == doctest::Approx((3 * 5 + 9) / 12.0));
}

TEST_CASE("mean squared error: gradient") {
    auto const y = sequence(4, 3, 5);
    xt::xtensor<double, 3> const t = xt::cos(y);
    check_gradient<3>(y, [&](auto const& p) { return mean_squared_error(p, t); });
    auto const mask = sequence_mask(4, std::vector<std::size_t>{4, 0, 2});
    check_gradient<3>(y, [&](auto const& p) { return mean_squared_error(p, t, mask); });
    check_gradient<2>(xt::view(y, 1), [&](auto const& p) { return mean_squared_error(p, xt::view(t, 1)); });
}

TEST_CASE(
    "mean squared error: rows without classes, one number, and differences that are as large as can be") {
    auto const none = xt::xtensor<double, 2>::from_shape({3, 0});
    CHECK(mean_squared_error(none, none).loss() == 0);
    CHECK(mean_squared_error(none, none).gradient.shape() == none.shape());
    xt::xtensor<double, 2> const y{{3}}, t{{5}};
    CHECK(mean_squared_error(y, t).loss() == 4);
    CHECK(mean_squared_error(y, t).gradient(0, 0) == -4);
    constexpr float large = 1e30f; // a square that no float holds is summed in double
    auto const far =
        mean_squared_error(xt::xtensor<float, 2>{{large, 0}}, xt::xtensor<float, 2>{{-large, 0}});
    CHECK(far.loss() == doctest::Approx(2e60));
    CHECK(far.gradient(0, 0) == doctest::Approx(2 * large));
    CHECK(std::isnan(mean_squared_error(y, xt::xtensor<double, 2>{{std::nan("")}}).loss()));
}

} // namespace mean_squared_error_test
