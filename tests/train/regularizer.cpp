// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>
#include <sluice/train/regularizer.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

namespace regularizer_test {

using sluice::regularizer;

TEST_CASE_TEMPLATE("regularizer: the penalty by hand", S, float, double) {
    std::vector<S> const w{S(0.5), S(-2), S(0), S(1)};
    CHECK(regularizer{.l1 = 0.1}.penalty(std::span(w)) == doctest::Approx(0.35));
    CHECK(regularizer{.l2 = 0.1}.penalty(std::span(w)) == doctest::Approx(0.525));
    CHECK(regularizer{.l1 = 0.1, .l2 = 0.1}.penalty(std::span(w)) == doctest::Approx(0.875));
    CHECK(regularizer{}.penalty(std::span(w)) == 0);
    CHECK(regularizer{.l1 = 1, .l2 = 1}.penalty(std::span<S>()) == 0);

    std::vector<S> gradient{1, 1, 1, 1};
    regularizer{.l1 = 0.5, .l2 = 0.25}.add_gradient(std::span(w), std::span(gradient));
    CHECK(gradient == std::vector<S>{S(1.75), S(-0.5), S(1), S(2)});
}

TEST_CASE("regularizer: the gradient against central differences") {
    std::vector<double> w{0.5, -2, 0.3, 1.25, -0.01};
    for (regularizer const r :
         {regularizer{.l1 = 0.7}, regularizer{.l2 = 0.3}, regularizer{.l1 = 0.2, .l2 = 0.9}}) {
        std::vector<double> gradient(w.size(), 10.0);
        r.add_gradient(std::span(w), std::span(gradient));
        for (std::size_t i = 0; i < w.size(); ++i) {
            auto plus = w;
            auto minus = w;
            plus[i] += 1e-5;
            minus[i] -= 1e-5;
            double const slope = (r.penalty(std::span(plus)) - r.penalty(std::span(minus))) / 2e-5;
            CHECK(gradient[i] == doctest::Approx(10 + slope).epsilon(1e-8));
        }
    }
}

TEST_CASE_TEMPLATE("regularizer: each number costs the same wherever it lies", S, float, double) {
    for (regularizer const r :
         {regularizer{.l1 = 0.3}, regularizer{.l2 = 0.7}, regularizer{.l1 = 0.2, .l2 = 1.1}})
        for (std::size_t count = 0; count < 40; ++count) {
            CAPTURE(count);
            std::vector<S> w, gradient(count, S(0.25));
            double expected = 0;
            for (std::size_t i = 0; i < count; ++i) {
                w.push_back(i % 7 == 3 ? S(0) : std::sin(S(i) + S(0.4)));
                expected += regularizer::term(r.factors<double>(), static_cast<double>(w[i]));
            }
            CHECK(r.penalty(std::span<S const>(w)) == doctest::Approx(expected).epsilon(1e-14));
            r.add_gradient(std::span<S const>(w), std::span(gradient));
            bool are_equal = true;
            for (std::size_t i = 0; i < count; ++i)
                are_equal = are_equal &&
                            std::abs(gradient[i] -
                                     static_cast<S>(0.25 + regularizer::slope(r.factors<double>(),
                                                                              static_cast<double>(w[i])))) <=
                                std::numeric_limits<S>::epsilon();
            CHECK(are_equal);
        }
}

TEST_CASE("regularizer: a number that is none makes the penalty none, and a factor of zero does not look") {
    for (std::size_t at = 0; at < 19; ++at) {
        std::vector<float> w(19, 1), gradient(19, 0);
        w[at] = std::numeric_limits<float>::quiet_NaN();
        CHECK(std::isnan(regularizer{.l2 = 1}.penalty(std::span<float const>(w))));
        regularizer{.l2 = 1}.add_gradient(std::span<float const>(w), std::span(gradient));
        for (std::size_t i = 0; i < 19; ++i)
            CHECK(std::isnan(gradient[i]) == (i == at));
        CHECK(regularizer{}.penalty(std::span<float const>(w)) == 0);
    }
}

TEST_CASE("regularizer: refusals") {
    std::vector<double> w{1, 2};
    std::vector<double> gradient{1, 2, 3};
    CHECK_THROWS_WITH_AS(regularizer{.l1 = 1}.add_gradient(std::span(w), std::span(gradient)),
                         doctest::Contains("gradient of 2 numbers"), std::invalid_argument);
    CHECK(gradient == std::vector<double>{1, 2, 3});
    for (double bad :
         {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        CHECK_THROWS_AS(regularizer{.l1 = bad}.check(), std::invalid_argument);
        CHECK_THROWS_AS((void)regularizer{.l2 = bad}.penalty(std::span(w)), std::invalid_argument);
    }
    CHECK_NOTHROW(regularizer{.l1 = 1, .l2 = 0}.check());
}

} // namespace regularizer_test
