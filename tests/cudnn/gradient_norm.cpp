// SPDX-License-Identifier: BSL-1.0
// Sums of squares, largest numbers and multiples of an array on the device; tests/device/training_norm.cpp
// has norms of maps.
#include <sluice/cudnn/kernels/gradient_norm.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <support/tensors.hpp>

namespace gradient_norm_test {

using sluice::cudnn::fetch, sluice::cudnn::send, sluice::cudnn::tensor;
namespace detail = sluice::cudnn::detail;
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST_CASE_TEMPLATE("gradient norm: sums of squares in a unit, the largest, and multiples", S, float, double,
                   sluice::half) {
    for (std::size_t const count :
         {std::size_t(1), std::size_t(255), std::size_t(257), std::size_t(262'401)}) {
        CAPTURE(count);
        auto g = support::random_tensor<S, 1>({count}, "g", 3);
        g(count / 2) = sluice::rounded<S>(-3.5f);
        auto there = send(g);
        long double sum = 0;
        double most = 0;
        for (S const one : g) {
            sum += std::pow(static_cast<long double>(sluice::in_double(one)) / 0.75L, 2);
            most = std::max(most, std::abs(sluice::in_double(one)));
        }
        double const found = detail::sum_of_squares(there, 0.75);
        CHECK(found == doctest::Approx(static_cast<double>(sum)).epsilon(1e-13));
        CHECK(found == detail::sum_of_squares(there, 0.75)); // in one order
        CHECK(detail::largest_of(there) == most);
        detail::scale(there, 0.3);
        auto const scaled = fetch(there);
        bool all = true;
        for (std::size_t i = 0; i < count; ++i)
            all = all && sluice::in_double(scaled(i)) ==
                             sluice::in_double(sluice::rounded<S>(
                                 static_cast<sluice::arithmetic_of<S>>(sluice::in_double(g(i)) * 0.3)));
        CHECK(all);
    }
}

TEST_CASE("gradient norm: no numbers") {
    tensor<float, 1> none({0});
    CHECK(detail::sum_of_squares(none, 1) == 0);
    CHECK(detail::largest_of(none) == 0);
    CHECK_NOTHROW(detail::scale(none, 2));
}

TEST_CASE("gradient norm: the ends of the range, and numbers that are none") {
    auto g = xt::xtensor<double, 1>::from_shape({600});
    g.fill(0);
    g(300) = -1e300;
    g(599) = std::numeric_limits<double>::denorm_min();
    auto const large = send(g);
    CHECK(detail::largest_of(large) == 1e300);
    CHECK(detail::sum_of_squares(large, 1) == infinity);
    CHECK(detail::sum_of_squares(large, 1e300) == 1);
    g(300) = 0;
    CHECK(detail::largest_of(send(g)) == std::numeric_limits<double>::denorm_min());
    g(7) = std::nan("");
    g(8) = -2;
    CHECK(detail::largest_of(send(g)) == 2); // of those that are numbers
    CHECK(std::isnan(detail::sum_of_squares(send(g), 1)));
    g(9) = -infinity;
    CHECK(detail::largest_of(send(g)) == infinity);
}

} // namespace gradient_norm_test
