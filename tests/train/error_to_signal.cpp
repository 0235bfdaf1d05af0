// SPDX-License-Identifier: BSL-1.0
// The error of a signal by hand, its gradient against differences, parts of a signal, and what is refused.
#include <sluice/train/error_to_signal.hpp>

#include "loss_check.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <stdexcept>
#include <utility>

namespace error_to_signal_test {

using loss_check::check_gradient, loss_check::sequence;
using sluice::error_to_signal;
using options = sluice::error_to_signal_options;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

TEST_CASE_TEMPLATE("error to signal: by hand", S, float, double) {
    xt::xtensor<S, 3> const t{{{2}}, {{4}}}, y{{{3}}, {{2}}};
    // d = 1, -2; with c = 1/2: H(d) = 1, -2.5, H(t) = 2, 3
    CHECK(error_to_signal(y, t, {.pre_emphasis = 0, .dc = 0}).loss() == doctest::Approx(5. / 20));
    CHECK(error_to_signal(y, t, {.pre_emphasis = 0.5, .dc = 0}).loss() == doctest::Approx(7.25 / 13));
    // the mean of d is -1/2, that of t^2 10
    auto const [loss, gradient] = error_to_signal(y, t, {.pre_emphasis = 0.5, .dc = 2});
    CHECK(loss == doctest::Approx(7.25 / 13 + 2 * 0.25 / 10));
    CHECK(gradient(0, 0, 0) == doctest::Approx(2 * (1 + 0.5 * 2.5) / 13 + 2 * 2 * -0.5 / (2 * 10)));
    CHECK(gradient(1, 0, 0) == doctest::Approx(2 * -2.5 / 13 + 2 * 2 * -0.5 / (2 * 10)));
    CHECK(error_to_signal(t, t).loss() == 0);
    CHECK(error_to_signal(t * S(0), t).loss() == doctest::Approx(1 + 9. / 10)); // silence: 1, and the mean
    CHECK(error_to_signal(y + y, 2 * t).loss() == doctest::Approx(error_to_signal(y, t).loss()));
}

TEST_CASE("error to signal: gradient") {
    auto const y = sequence(5, 3, 2);
    xt::xtensor<double, 3> const t = xt::cos(y);
    for (double const c : {0., 0.85, -0.4})
        for (double const w : {0., 1., 3.})
            check_gradient<3>(
                y, [&](auto const& p) { return error_to_signal(p, t, {.pre_emphasis = c, .dc = w}); });
    check_gradient<3>(y, [&](auto const& p) { return error_to_signal(p, t, {.floor = 20}); });
    xt::xtensor<double, 2> const y0 = xt::view(sequence(1, 3, 2), 0), t0 = 0.3 * y0;
    check_gradient<3>(y, [&](auto const& p) { return error_to_signal(p, t, {}, y0, t0); });
}

TEST_CASE("error to signal: parts of a signal are filtered as the whole") {
    auto const y = sequence(8, 2, 1);
    xt::xtensor<double, 3> const t = xt::cos(y);
    options const o{.dc = 0};
    auto const whole = error_to_signal(y, t, o);
    auto const a = error_to_signal(xt::view(y, xt::range(0, 5)), xt::view(t, xt::range(0, 5)), o);
    auto const b = error_to_signal(xt::view(y, xt::range(5, 8)), xt::view(t, xt::range(5, 8)), o,
                                   xt::view(y, 4), xt::view(t, 4));
    auto const energy = [&](std::size_t from, std::size_t to) {
        double sum = 0;
        for (std::size_t s = from; s < to; ++s)
            for (std::size_t k = 0; k < 2; ++k)
                sum += std::pow(t(s, k, 0) - (s > 0 ? 0.85 * t(s - 1, k, 0) : 0), 2);
        return sum;
    };
    CHECK(whole.loss() * energy(0, 8) ==
          doctest::Approx(a.loss() * energy(0, 5) + b.loss() * energy(5, 8)).epsilon(1e-12));
    CHECK(b.gradient(1, 1, 0) * energy(5, 8) ==
          doctest::Approx(whole.gradient(6, 1, 0) * energy(0, 8)).epsilon(1e-12));
}

TEST_CASE("error to signal: silence has a floor, and none is refused") {
    xt::xtensor<double, 3> const silent = xt::zeros<double>({4, 2, 1});
    xt::xtensor<double, 3> const y = 1e-3 + silent;
    CHECK(error_to_signal(y, silent, {.pre_emphasis = 0}).loss() == doctest::Approx(2e-6 / 1e-6));
    CHECK(error_to_signal(silent, silent).loss() == 0);
    CHECK_THROWS_WITH_AS(error_to_signal(y, silent, {.floor = 0}),
                         "sluice: error_to_signal expects a target that is not silent where its floor is 0, "
                         "but all is 0; give it "
                         "a floor",
                         std::invalid_argument);
    CHECK_NOTHROW(error_to_signal(silent, y, {.floor = 0}));
    auto const none = xt::xtensor<float, 3>::from_shape({0, 2, 1});
    CHECK(error_to_signal(none, none, {.floor = 0}).loss() == 0);
}

TEST_CASE("error to signal: refusals, each with an accepting twin") {
    auto const y = sequence(4, 2, 1);
    auto t = sequence(4, 2, 1);
    CHECK_NOTHROW(error_to_signal(y, t));
    CHECK_THROWS_WITH_AS(error_to_signal(y, sequence(4, 1, 2)),
                         doctest::Contains("targets of shape [4, 2, 1], but got [4, 1, 2]"),
                         std::invalid_argument);
    xt::xtensor<double, 2> const before = xt::zeros<double>({2, 1});
    CHECK_NOTHROW(error_to_signal(y, t, {}, before, before));
    CHECK_THROWS_WITH_AS(error_to_signal(y, t, {}, before, xt::zeros<double>({1, 1})),
                         doctest::Contains("targets before of shape [2, 1], but got [1, 1]"),
                         std::invalid_argument);
    for (double const bad : {-1.5, infinity, not_a_number})
        CHECK_THROWS_WITH_AS(error_to_signal(y, t, {.pre_emphasis = bad}), doctest::Contains("pre_emphasis"),
                             std::invalid_argument);
    for (double const bad : {-1., infinity, not_a_number}) {
        CHECK_THROWS_WITH_AS(error_to_signal(y, t, {.dc = bad}), doctest::Contains("dc"),
                             std::invalid_argument);
        CHECK_THROWS_WITH_AS(error_to_signal(y, t, {.floor = bad}), doctest::Contains("floor"),
                             std::invalid_argument);
    }
    for (double const bad : {infinity, not_a_number}) {
        auto wrong = t;
        wrong(2, 1, 0) = bad;
        CHECK_THROWS_WITH_AS(error_to_signal(y, wrong), doctest::Contains("expects finite targets"),
                             std::invalid_argument);
        CHECK_FALSE(std::isfinite(error_to_signal(wrong, t).loss())); // as every loss has it
    }
    auto const kept = std::move(t);
    CHECK_THROWS_WITH_AS(error_to_signal(y, t), doctest::Contains("as targets was moved from"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(error_to_signal(t, y), doctest::Contains("as predictions was moved from"),
                         std::invalid_argument);
    CHECK_NOTHROW(error_to_signal(y, kept));
}

} // namespace error_to_signal_test
