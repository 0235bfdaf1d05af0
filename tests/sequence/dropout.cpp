// SPDX-License-Identifier: BSL-1.0
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/core/xtensor.hpp>
#include <sluice/sequence/dropout.hpp>
#include <stdexcept>
#include <support/tensors.hpp>

using sluice::dropout;
using sluice::random_stream;
using sluice::seed;

TEST_CASE_TEMPLATE("dropout: kept numbers are scaled, dropped ones are zero, as often as the rate says", S,
                   float, double) {
    random_stream numbers(seed{1}, "dropout");
    dropout layer(0.25, numbers);
    xt::xtensor<S, 3> const xs = xt::ones<S>({20, 10, 100});
    auto const ys = layer.apply(xs);
    std::size_t dropped = 0;
    for (S y : ys) {
        CHECK((y == 0 || y == static_cast<S>(1 / 0.75)));
        dropped += y == 0;
    }
    CHECK(std::abs(static_cast<double>(dropped) - 5000) < 4 * std::sqrt(20000 * 0.25 * 0.75));
}

TEST_CASE_TEMPLATE("dropout: backward is the transpose of apply, under the same mask", S, float, double) {
    random_stream numbers(seed{2});
    dropout layer(0.5, numbers);
    xt::xtensor<S, 3> const xs = xt::ones<S>({3, 4, 5});
    auto const mask = layer.apply(xs);
    CHECK(layer.backward(xs) == mask);
    CHECK(layer.backward(S(3) * xs) == S(3) * mask);
    CHECK(layer.apply(xs) != mask); // every apply draws a new mask
    CHECK(layer.backward(xs) != mask);
}

TEST_CASE_TEMPLATE("dropout: each number is scaled for itself", S, float, double) {
    random_stream numbers(seed{2});
    dropout layer(0.25, numbers);
    auto const xs = support::random_tensor<S, 2>({7, 13}, "xs");
    auto const ys = layer.apply(xs);
    auto const mask = layer.backward(xt::xtensor<S, 2>(xt::ones<S>({7, 13})));
    int kept = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
        CHECK(ys.data()[i] == xs.data()[i] * mask.data()[i]);
        kept += mask.data()[i] != 0;
    }
    CHECK(kept > 7 * 13 / 2);
    CHECK(kept < 7 * 13);
}

TEST_CASE_TEMPLATE("dropout: rate 0 is the identity, rate 1 gives zeros", S, float, double) {
    random_stream numbers(seed{3});
    auto const before = numbers;
    xt::xtensor<S, 2> const xs{{1, -2, S(0.1)}, {4, 5, std::numeric_limits<S>::infinity()}};
    dropout none(0, numbers);
    CHECK(none.apply(xs) == xs);
    CHECK(none.backward(xs) == xs);
    CHECK(numbers == before);
    dropout all(1, numbers);
    CHECK(all.apply(xs) == xt::zeros<S>({2, 3}));
    CHECK(all.backward(xs) == xt::zeros<S>({2, 3}));
    CHECK(all.rate() == 1);
}

TEST_CASE("dropout: the stream's state resumes it exactly") {
    random_stream numbers(seed{4});
    dropout layer(0.5, numbers);
    xt::xtensor<double, 2> const xs = xt::ones<double>({10, 10});
    layer.apply(xs);
    auto const state = numbers.state();
    auto const expected = layer.apply(xs);

    random_stream restored(seed{0});
    restored.set_state(state);
    CHECK(dropout(0.5, restored).apply(xs) == expected);
}

TEST_CASE("dropout: empty tensors, and refusals") {
    random_stream numbers(seed{5});
    dropout layer(0.5, numbers);
    auto const empty = xt::xtensor<float, 3>::from_shape({4, 0, 3});
    CHECK(layer.apply(empty).shape() == empty.shape());
    CHECK(layer.backward(empty).shape() == empty.shape());
    xt::xtensor<float, 2> const other = xt::ones<float>({2, 2});
    CHECK_THROWS_WITH_AS(layer.backward(other), doctest::Contains("of shape [4, 0, 3], but got [2, 2]"),
                         std::invalid_argument);
    CHECK_THROWS_AS(dropout(0.5, numbers).backward(other), std::invalid_argument);
    for (double bad : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
        CHECK_THROWS_WITH_AS(dropout(bad, numbers), doctest::Contains("between 0 and 1"),
                             std::invalid_argument);
}
