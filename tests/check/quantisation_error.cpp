// SPDX-License-Identifier: BSL-1.0
// The error of coarse weights: it is that of the outputs, it shrinks with the weights' digits, and NaN is the
// largest.
#include <sluice/cells/gru.hpp>
#include <sluice/check/quantisation_error.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/narrow/narrow_weights.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <support/tensors.hpp>

namespace quantisation_error_test {

using namespace support;
using sluice::xtensor::weights;

TEST_CASE("quantisation_error: the largest and the mean difference of the outputs") {
    sluice::cell<sluice::gru> const exact({.input = 5, .units = 23}, sluice::seed{3});
    sluice::cell<sluice::gru, weights<sluice::bfloat16>> fine({.input = 5, .units = 23});
    sluice::cell<sluice::gru, weights<sluice::int8>> coarse({.input = 5, .units = 23});
    copy_parameters(exact, fine);
    copy_parameters(exact, coarse);
    auto const xs = random_sequence<float>(9, 3, 5);
    for (auto const& [error, found] :
         {std::pair(quantisation_error(fine, xs), infer(fine, xs).outputs),
          std::pair(quantisation_error(coarse, xs), infer(coarse, xs).outputs)}) {
        auto const wanted = infer(exact, xs).outputs;
        double largest = 0, sum = 0;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            double const far =
                std::abs(static_cast<double>(found.data()[i]) - static_cast<double>(wanted.data()[i]));
            largest = std::max(largest, far);
            sum += far;
        }
        CHECK(error.largest == doctest::Approx(largest));
        CHECK(error.mean == doctest::Approx(sum / static_cast<double>(wanted.size())));
        CHECK(error.largest > 1e-6);
        CHECK(error.largest < 0.02);
        CHECK(error.mean < error.largest);
    }
    CHECK(quantisation_error(exact, xs).largest == 0);
}

TEST_CASE("quantisation_error: of no outputs zero, of a NaN NaN, of nets of other widths a sentence") {
    sluice::cell<sluice::gru, weights<sluice::int8>> coarse({.input = 5, .units = 7});
    CHECK(quantisation_error(coarse, random_sequence<float>(0, 3, 5)).largest == 0);
    CHECK(quantisation_error(coarse, random_sequence<float>(0, 3, 5)).mean == 0);
    sluice::cell<sluice::gru> const exact({.input = 5, .units = 8});
    auto const xs = random_sequence<float>(3, 2, 5);
    CHECK_THROWS_WITH_AS(quantisation_error(coarse, exact, xs), doctest::Contains("are of 7 and 8"),
                         std::invalid_argument);
    sluice::cell<sluice::gru> same({.input = 5, .units = 7});
    copy_parameters(coarse, same);
    coarse.update_values([](std::span<float> all) { all[0] = std::numeric_limits<float>::quiet_NaN(); });
    CHECK(std::isnan(quantisation_error(coarse, same, xs).largest));
    CHECK(std::isnan(quantisation_error(coarse, same, xs).mean));
}

TEST_CASE("quantisation_error: of stacks, beside the one they were copied from") {
    sluice::stack<sluice::gru> const exact({.input = 5, .units = 7}, {.layers = 2}, sluice::seed{3});
    sluice::stack<sluice::gru, weights<sluice::bfloat16>> fine({.input = 5, .units = 7}, {.layers = 2});
    copy_parameters(exact, fine);
    auto const error = quantisation_error(fine, exact, random_sequence<float>(9, 3, 5));
    CHECK(error.largest > 1e-6);
    CHECK(error.largest < 0.02);
}

} // namespace quantisation_error_test
