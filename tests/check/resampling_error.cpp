// SPDX-License-Identifier: BSL-1.0
// The error of another sample rate: none where there is no other rate, less with better interpolation, and
// what is refused.
#include <sluice/check/resampling_error.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/cell/adapt/resampled.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor.hpp>
#include <stdexcept>
#include <support/agreement.hpp>

namespace resampling_error_test {

using plain = sluice::cell<sluice::lstm, double>;
using fast = sluice::cell<sluice::resampled<sluice::lstm>, double>;

struct pair {
    plain learned{{.input = 1, .units = 6}};
    fast other{{.input = 1, .units = 6}};
    pair() {
        support::randomize(learned, 0.6);
        sluice::copy_to_resampled(learned, other);
    }
};

TEST_CASE("resampling_error: the same rate has none") {
    pair const nets;
    CHECK(sluice::resampling_error(nets.learned, nets.other, 44100, 44100) == 0);
    CHECK(sluice::resampling_error(nets.learned, nets.learned, 48000, 48000, {.frequency = 1000}) == 0);
}

TEST_CASE("resampling_error: less with better interpolation") {
    for (std::size_t const rate : {48000u, 96000u}) {
        pair nets;
        double const ratio = static_cast<double>(rate) / 44100;
        double const without = sluice::resampling_error(nets.learned, nets.other, 44100, rate);
        sluice::resample(nets.other, ratio, 0);
        double const nearest = sluice::resampling_error(nets.learned, nets.other, 44100, rate);
        sluice::resample(nets.other, ratio, 1);
        double const linear = sluice::resampling_error(nets.learned, nets.other, 44100, rate);
        sluice::resample(nets.other, ratio, 3);
        double const cubic = sluice::resampling_error(nets.learned, nets.other, 44100, rate);
        CAPTURE(rate);
        CAPTURE(without);
        CAPTURE(nearest);
        CAPTURE(linear);
        CAPTURE(cubic);
        CHECK(nearest <= without);
        CHECK(linear < 0.2 * nearest);
        CHECK(cubic < 0.2 * linear);
        CHECK(cubic > 0);
    }
}

TEST_CASE("resampling_error: twice the rate has what aliasing makes, and half of it can be run") {
    pair nets;
    sluice::resample(nets.other, 2);
    CHECK(sluice::resampling_error(nets.learned, nets.other, 44100, 88200) < 1e-10);
    double const without = sluice::resampling_error(nets.learned, nets.learned, 44100, 22050);
    sluice::resample(nets.other, 0.5, 1);
    CHECK(sluice::resampling_error(nets.learned, nets.other, 44100, 22050) < without);
}

TEST_CASE("resampling_error: what is refused") {
    pair const nets;
    auto const error = [&](std::size_t rate, std::size_t other, sluice::resampling_options how) {
        return sluice::resampling_error(nets.learned, nets.other, rate, other, how);
    };
    for (std::size_t const rate : {std::size_t(0), std::size_t(1), std::size_t(1) << 31, ~std::size_t(0)}) {
        CHECK_THROWS_AS(error(rate, 44100, {}), std::invalid_argument);
        CHECK_THROWS_AS(error(44100, rate, {}), std::invalid_argument);
    }
    for (double const number : {0., -1., 22050., std::nan(""), std::numeric_limits<double>::infinity()})
        CHECK_THROWS_AS(error(44100, 48000, {.frequency = number}), std::invalid_argument);
    CHECK_THROWS_WITH_AS(error(44100, 48000, {.frequency = 30000}),
                         "sluice: resampling_error expects a frequency from 1 Hz to below 22050 Hz, half of "
                         "the lower rate, but got 30000 Hz",
                         std::invalid_argument);
    CHECK_THROWS_AS(error(44100, 48000, {.amplitude = 0}), std::invalid_argument);
    CHECK_THROWS_AS(error(44100, 48000, {.seconds = -1}), std::invalid_argument);
    CHECK_THROWS_AS(error(44100, 48000, {.seconds = 1e9}), std::invalid_argument);
    plain const wider({.input = 2, .units = 6});
    CHECK_THROWS_WITH_AS(
        sluice::resampling_error(nets.learned, wider, 44100, 48000),
        "sluice: resampling_error expects nets of the same sizes, but one has 1 inputs and 6 "
        "outputs, the other one 2 and 6",
        std::invalid_argument);
    CHECK(error(4, 6, {.frequency = 1.5, .seconds = 1}) >= 0); // as low as it gets
}

} // namespace resampling_error_test
