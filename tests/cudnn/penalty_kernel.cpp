// SPDX-License-Identifier: BSL-1.0
// Penalties on numbers of the device, and what they add to a gradient, beside those of the host;
// tests/device/training_penalty.cpp has nets.
#include <sluice/cudnn/kernels/penalty_kernel.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <support/tensors.hpp>

namespace penalty_kernel_test {

using sluice::cudnn::fetch, sluice::cudnn::send, sluice::cudnn::tensor;
namespace detail = sluice::cudnn::detail;

TEST_CASE_TEMPLATE("penalty kernel: what the host computes, on a part of an array", S, float, double,
                   sluice::half) {
    std::size_t const all = 262'401;
    auto w = support::random_tensor<S, 1>({all}, "w", 2), g = support::random_tensor<S, 1>({all}, "g", 2);
    w(7) = S(0);
    auto const there = send(w);
    for (std::size_t const count : {std::size_t(1), std::size_t(257), all - 5})
        for (sluice::regularizer const& how :
             {sluice::regularizer{.l1 = 0.3}, {.l2 = 0.2}, {.l1 = 0.1, .l2 = 0.7}}) {
            CAPTURE(count);
            std::size_t const first = 5;
            std::span<S const> const part(w.data() + first, count);
            CHECK(detail::penalty_of(how, there, first, count) ==
                  doctest::Approx(how.penalty(part)).epsilon(1e-12));
            auto gradient = send(g);
            detail::add_penalty(how, there, first, count, gradient);
            auto expected = g;
            how.add_gradient(part, std::span<S>(expected.data() + first, count));
            auto const came = fetch(gradient);
            double const ulp = sizeof(S) == 2 ? 2e-3 : 0; // half is rounded twice on the device
            bool same = true;
            for (std::size_t i = 0; i < all; ++i)
                same = same && std::abs(sluice::in_double(came(i)) - sluice::in_double(expected(i))) <=
                                   ulp * std::abs(sluice::in_double(expected(i)));
            CHECK(same);
        }
}

TEST_CASE("penalty kernel: a factor of zero switches its term off, no numbers, factors that are none") {
    auto w = xt::xtensor<float, 1>::from_shape({3});
    w.fill(std::numeric_limits<float>::infinity());
    w(1) = 1;
    auto const there = send(w);
    CHECK(detail::penalty_of({}, there, 0, 3) == 0);
    CHECK(detail::penalty_of({.l2 = 1}, there, 1, 1) == 1);
    CHECK(detail::penalty_of({.l2 = 1}, there, 0, 3) == std::numeric_limits<double>::infinity());
    CHECK(detail::penalty_of({.l1 = 1}, there, 1, 0) == 0);
    auto gradient = send(w);
    CHECK_NOTHROW(detail::add_penalty({.l1 = 1}, there, 1, 0, gradient));
    CHECK_THROWS_AS(detail::penalty_of({.l1 = -1}, there, 0, 3), std::invalid_argument);
    CHECK_THROWS_AS(
        detail::add_penalty({.l2 = std::numeric_limits<double>::quiet_NaN()}, there, 0, 3, gradient),
        std::invalid_argument);
}

} // namespace penalty_kernel_test
