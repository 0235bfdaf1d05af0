// SPDX-License-Identifier: BSL-1.0
// Rules of losses: those of a user are called with numbers, refuse in their own words, and are written down.
#include "loss_check.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/source/traced.hpp>
#include <sluice/train/loss_rule.hpp>
#include <sluice/train/mean_squared_error.hpp>
#include <sluice/train/softmax_cross_entropy.hpp>
#include <string>
#include <support/own_losses.hpp>

namespace loss_rule_test {

using namespace loss_check;
using sluice::loss_of, sluice::detail::loss_in;
using support::huber_rule, support::warm_entropy_rule;

namespace {

/// The same rule, which takes no batches.
template <class Rule>
struct one_by_one : Rule {
    static constexpr bool in_batches = false;
};

} // namespace

TEST_CASE_TEMPLATE("loss rule: a loss of a user with targets, by hand", S, float, double) {
    xt::xtensor<S, 2> const y{{1, 2, 3}, {0, -1, 4}};
    xt::xtensor<S, 2> const t{{1, 0, S(2.5)}, {3, -1, 4}};
    auto const [loss, gradient] = loss_of(huber_rule{.delta = 1}, y, t);
    CHECK(loss == doctest::Approx((1.5 + 0.125 + 2.5) / 6));
    CHECK(gradient(0, 0) == 0);
    CHECK(gradient(0, 1) == doctest::Approx(1.0 / 6));
    CHECK(gradient(0, 2) == doctest::Approx(0.5 / 6));
    CHECK(gradient(1, 0) == doctest::Approx(-1.0 / 6));
    CHECK(loss_of(huber_rule{.delta = 2}, y, t, xt::xtensor<int, 1>{3, 1}).loss() ==
          doctest::Approx((3 * 2.125 + 4) / 12));
}

TEST_CASE("loss rule: gradients of losses of a user") {
    auto const y = sequence(4, 3, 5);
    xt::xtensor<double, 3> const t = xt::cos(y);
    xt::xtensor<double, 2> const weights{{1, 0.5, 0}, {0, 2, 1}, {3, 1, 1}, {1, 1, 1}};
    xt::xtensor<int, 2> const labels{{0, 4, 3}, {3, 2, 1}, {1, 1, 0}, {2, 2, 4}};
    check_gradient<3>(y, [&](auto const& p) { return loss_of(huber_rule{.delta = 0.7}, p, t, weights); });
    check_gradient<3>(
        y, [&](auto const& p) { return loss_of(warm_entropy_rule{.temperature = 2.5}, p, labels, weights); });
    auto const warm = loss_of(warm_entropy_rule{.temperature = 4}, y, labels, weights);
    CHECK(warm.loss() ==
          doctest::Approx(sluice::softmax_cross_entropy(y / 4, labels, weights).loss()).epsilon(1e-14));
}

TEST_CASE_TEMPLATE("loss rule: in batches a row of any length costs what it does one number at a time", S,
                   float, double) {
    double const bound = sizeof(S) == 4 ? 3e-7 : 1e-15;
    for (std::size_t classes = 1; classes < 40; ++classes) {
        CAPTURE(classes);
        xt::xtensor<S, 3> const y = xt::cast<S>(sequence(2, 3, classes)), t = xt::cos(S(3) * y);
        xt::xtensor<double, 2> const weights{{1, 0.5, 0}, {0.25, 2, 1}};
        auto labels = xt::xtensor<int, 2>::from_shape({2, 3});
        for (std::size_t row = 0; row < 6; ++row)
            labels.data()[row] = static_cast<int>((row * 7 + classes - 1) % classes);
        auto const compare = [&](auto const& found, auto const& expected) {
            CHECK(std::abs(found.loss() - expected.loss()) <= bound * expected.loss());
            double worst = 0;
            for (std::size_t i = 0; i < y.size(); ++i)
                worst = std::max(worst, static_cast<double>(std::abs(found.gradient.data()[i] -
                                                                     expected.gradient.data()[i])));
            CHECK(worst <= bound);
            CHECK(xt::view(found.gradient, 0, 2) == xt::zeros<S>({classes})); // a row without a weight
        };
        compare(loss_of(huber_rule{.delta = 0.7}, y, t, weights),
                loss_of(one_by_one<huber_rule>{{.delta = 0.7}}, y, t, weights));
        compare(sluice::softmax_cross_entropy(y, labels, weights),
                loss_of(one_by_one<sluice::softmax_cross_entropy_rule>{}, y, labels, weights));
    }
}

TEST_CASE_TEMPLATE("loss rule: a number that is none makes the loss none, wherever it is", S, float, double) {
    constexpr S infinite = std::numeric_limits<S>::infinity();
    for (std::size_t const classes : {3u, 16u, 19u})
        for (std::size_t at = 0; at < classes; ++at) {
            CAPTURE(classes);
            CAPTURE(at);
            xt::xtensor<S, 2> z = xt::ones<S>({std::size_t(1), classes});
            xt::xtensor<int, 1> const label{0};
            for (S const wrong : {std::numeric_limits<S>::quiet_NaN(), infinite}) {
                z(0, at) = wrong;
                CHECK(std::isnan(sluice::softmax_cross_entropy(z, label).loss()));
            }
            z(0, at) = S(3); // the largest is found everywhere
            double const rest = std::exp(-2.0) * static_cast<double>(classes - 1);
            CHECK(sluice::softmax_cross_entropy(z, label).loss() ==
                  doctest::Approx(std::log(1 + rest) + (at == 0 ? 0 : 2)).epsilon(1e-6));
            z(0, at) = -infinite; // a class that cannot be
            auto const [loss, gradient] = sluice::softmax_cross_entropy(z, xt::xtensor<int, 1>{at == 0});
            CHECK(loss == doctest::Approx(std::log(static_cast<double>(classes - 1))).epsilon(1e-6));
            CHECK(gradient(0, at) == 0);
        }
}

TEST_CASE("loss rule: settings and shapes are refused in the words of the rule") {
    xt::xtensor<double, 2> const y{{1, 2}}, t{{1, 2}, {3, 4}};
    CHECK_THROWS_WITH_AS(loss_of(huber_rule{.delta = 0}, y, y), "huber expects a delta above 0",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(loss_of(huber_rule{}, y, t),
                         doctest::Contains("huber expects targets of shape [1, 2], but got [2, 2]"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(loss_of(huber_rule{}, y, y, xt::xtensor<double, 1>{-1}),
                         doctest::Contains("huber expects finite weights"), std::invalid_argument);
    CHECK_THROWS_WITH_AS(loss_of(warm_entropy_rule{}, y, xt::xtensor<int, 1>{2}),
                         doctest::Contains("warm_entropy expects labels from 0 to below 2"),
                         std::invalid_argument);
}

TEST_CASE("loss rule: what is known is given to each function, constants in its numbers") {
    auto const squares = loss_in<sluice::mean_squared_error_rule, float>{};
    CHECK(squares.part(5, 3) == 2);
    CHECK(squares.term(5, 3, 2) == 4);
    CHECK(squares.slope(0.25f) == 0.5f);
    CHECK(squares.gradient(5, 3, 2, 0.5f, 0.25f) == 1);
    auto const warm = sluice::detail::loss_with_constants<warm_entropy_rule, float>(
        sluice::detail::constants_of_loss(warm_entropy_rule{.temperature = 0.1}));
    CHECK(warm.constants[0] == 0.1f);
    CHECK(warm.part(2, 2) == 1);
    CHECK(warm.loss(1, 3, 3) == 0);
    CHECK(warm.gradient_of_label(2, 2, 1, 3, 4, 5) == 5 - 4 / 0.1f);
    static_assert(sluice::detail::loss_constants<sluice::softmax_cross_entropy_rule> == 0);
}

TEST_CASE("loss rule: is written down for the kernels of a device") {
    using number = sluice::traced<float>;
    auto const called = [](char const* name) { return number(std::string(name)); };
    loss_in<sluice::softmax_cross_entropy_rule, number> const rule;
    std::string text;
    print(rule.gradient(called("z"), called("m"), rule.part(called("z"), called("m")), called("slope"),
                        called("share")),
          "y", text);
    CHECK(text == "number const y = expf(z - m) * slope;\n");
}

} // namespace loss_rule_test
