// SPDX-License-Identifier: BSL-1.0
// What the losses share: rows with weights, rows that do not count, and what is refused.
#include "loss_check.hpp"

#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/train/mean_squared_error.hpp>
#include <sluice/train/softmax_cross_entropy.hpp>
#include <stdexcept>
#include <vector>

namespace loss_test {

using loss_check::sequence;
using sluice::mean_squared_error;
using sluice::sequence_mask;
using sluice::softmax_cross_entropy;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("loss: padded steps do not count, whatever stands there") {
    std::vector<std::size_t> const lengths{3, 1, 0};
    auto const mask = sequence_mask(3, lengths);
    CHECK(mask == xt::xtensor<double, 2>{{1, 1, 0}, {1, 0, 0}, {1, 0, 0}});
    auto z = sequence(3, 3, 4);
    xt::xtensor<int, 2> labels{{0, 1, -7}, {2, 99, 99}, {3, -1, -1}};
    // the same four rows, by themselves
    auto rows = xt::xtensor<double, 2>::from_shape({4, 4});
    xt::xtensor<int, 1> const row_labels{0, 1, 2, 3};
    xt::view(rows, 0) = xt::view(z, 0, 0);
    xt::view(rows, 1) = xt::view(z, 0, 1);
    xt::view(rows, 2) = xt::view(z, 1, 0);
    xt::view(rows, 3) = xt::view(z, 2, 0);
    for (std::size_t t = 0; t < 3; ++t)
        for (std::size_t b = 0; b < 3; ++b)
            if (t >= lengths[b])
                xt::view(z, t, b) = not_a_number;

    auto const padded = softmax_cross_entropy(z, labels, mask);
    auto const alone = softmax_cross_entropy(rows, row_labels);
    CHECK(padded.loss() == doctest::Approx(alone.loss()).epsilon(1e-14));
    CHECK(xt::view(padded.gradient, 1, 0) == xt::view(alone.gradient, 2));
    CHECK(xt::view(padded.gradient, 1, 1) == xt::zeros<double>({4}));
    CHECK(xt::view(padded.gradient, 0, 2) == xt::zeros<double>({4}));

    xt::xtensor<double, 3> const target = xt::zeros<double>({3, 3, 4});
    auto const squared = mean_squared_error(z, target, mask);
    CHECK(squared.loss() == doctest::Approx(mean_squared_error(rows, 0 * rows).loss()).epsilon(1e-14));
    CHECK(xt::view(squared.gradient, 1, 1) == xt::zeros<double>({4}));
}

TEST_CASE_TEMPLATE("loss: no row, or no row that counts, is a loss of zero", S, float, double) {
    auto const none = xt::xtensor<S, 3>::from_shape({5, 0, 4});
    auto const no_labels = xt::xtensor<int, 2>::from_shape({5, 0});
    auto const entropy = softmax_cross_entropy(none, no_labels);
    CHECK(entropy.loss() == 0);
    CHECK(entropy.gradient.shape() == none.shape());
    CHECK(mean_squared_error(none, none).loss() == 0);

    xt::xtensor<S, 2> const z{{1, 2}, {3, 4}};
    xt::xtensor<int, 1> const labels{0, 1};
    auto const unweighted = softmax_cross_entropy(z, labels, xt::zeros<double>({2}));
    CHECK(unweighted.loss() == 0);
    CHECK(unweighted.gradient == xt::zeros<S>({2, 2}));
    CHECK(mean_squared_error(z, z + S(1), xt::zeros<double>({2})).loss() == 0);
}

TEST_CASE("loss: refusals, each with an accepting twin") {
    auto const z = sequence(2, 3, 4);
    xt::xtensor<int, 2> labels{{0, 1, 2}, {3, 0, 1}};
    CHECK_NOTHROW(softmax_cross_entropy(z, labels));
    labels(1, 2) = 4;
    CHECK_THROWS_WITH_AS(
        softmax_cross_entropy(z, labels),
        doctest::Contains("labels from 0 to below 4, the number of classes, but the label of row 5 is 4"),
        std::invalid_argument);
    labels(1, 2) = -1;
    CHECK_THROWS_WITH_AS(softmax_cross_entropy(z, labels), doctest::Contains("row 5 is -1"),
                         std::invalid_argument);
    CHECK_THROWS_AS(
        softmax_cross_entropy(z, xt::xtensor<std::uint64_t, 2>{{0, 0, 0}, {0, 0, ~std::uint64_t{0}}}),
        std::invalid_argument);
    CHECK_THROWS_WITH_AS(softmax_cross_entropy(z, xt::xtensor<int, 2>{{0, 1}, {0, 1}}),
                         doctest::Contains("labels of shape [2, 3], but got [2, 2]"), std::invalid_argument);
    CHECK_THROWS_WITH_AS(softmax_cross_entropy(z, xt::xtensor<int, 1>{0, 1}),
                         doctest::Contains("labels of shape [2, 3], but got [2]"), std::invalid_argument);
    CHECK_THROWS_WITH_AS(mean_squared_error(z, sequence(2, 3, 5)),
                         doctest::Contains("targets of shape [2, 3, 4], but got [2, 3, 5]"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(mean_squared_error(z, z, xt::xtensor<double, 2>{{1, 1, 1}}),
                         doctest::Contains("weights of shape [2, 3], but got [1, 3]"), std::invalid_argument);
    for (double bad : {-1.0, infinity, not_a_number}) {
        xt::xtensor<double, 2> const weights{{1, 1, 1}, {1, bad, 1}};
        CHECK_THROWS_WITH_AS(mean_squared_error(z, z, weights), doctest::Contains("weights"),
                             std::invalid_argument);
    }
    CHECK_THROWS_WITH_AS(sequence_mask(3, std::vector<std::size_t>{3, 4}),
                         doctest::Contains("at most 3 time steps, but sequence 1 has length 4"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(sequence_mask(std::size_t{1} << 63, std::vector<std::size_t>{0, 0}),
                         doctest::Contains("9223372036854775808 time steps of 2 sequences"),
                         std::invalid_argument);
    CHECK(sequence_mask(std::size_t{1} << 63, std::vector<std::size_t>{}).size() == 0);
}

TEST_CASE("loss: tensors that were moved from are not read") {
    auto z = sequence(2, 3, 4);
    xt::xtensor<int, 2> labels{{0, 1, 2}, {3, 0, 1}};
    xt::xtensor<double, 2> weights = xt::ones<double>({2, 3});
    auto const refused = [](auto call, char const* which) {
        CHECK_THROWS_WITH_AS(call(), doctest::Contains(which), std::invalid_argument);
    };
    auto const kept = std::move(weights);
    refused([&] { softmax_cross_entropy(z, labels, weights); }, "as weights was moved from");
    refused([&] { mean_squared_error(z, z, weights); }, "as weights was moved from");
    auto const kept_labels = std::move(labels);
    refused([&] { softmax_cross_entropy(z, labels); }, "as labels was moved from");
    auto const kept_z = std::move(z);
    refused([&] { softmax_cross_entropy(z, kept_labels); }, "as logits was moved from");
    refused([&] { mean_squared_error(z, kept_z); }, "as predictions was moved from");
    refused([&] { mean_squared_error(kept_z, z); }, "as targets was moved from");
    CHECK_NOTHROW(softmax_cross_entropy(kept_z, kept_labels, kept));
}

} // namespace loss_test
