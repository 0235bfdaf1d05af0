// SPDX-License-Identifier: BSL-1.0
// resampling_error: what it costs to run a net at another sample rate (cell/adapt/resampled.hpp).
//
// The net that learned and the one that runs at the other rate are given the same sine,
//
//   x(t) = amplitude sin(2 pi f t)
//
// each at its own rate. Where both have settled, their outputs are compared by their harmonics up to half of
// the lower rate: with Y_k the part of the one that learned at k f, and Y'_k that of the other one,
//
//   error = sum_k |Y'_k - Y_k|^2 / sum_k |Y_k|^2        over all outputs
//
// (arXiv 2406.06293, section 4, compares harmonics, too.) -40 dB, 0.0001, is an error of 1 % of the output.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <sluice/core/fail.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/sequence/unroll.hpp>
#include <stdexcept>
#include <vector>

namespace sluice {

/// The sine that resampling_error gives, and how long it waits.
struct resampling_options {
    double frequency = 220; ///< Hz; the nearest one of which both rates have whole periods
    double amplitude = 0.5;
    double seconds = 0.25; ///< until the nets have settled
};

namespace detail {

/// Where both rates have whole numbers of samples, and the sine has whole periods.
struct common_window {
    std::size_t samples[2] = {0, 0};
    std::size_t periods = 0;
    std::size_t harmonics = 0; ///< below half of the lower rate, with that of frequency 0
};
inline common_window window_of(std::size_t rate, std::size_t other, resampling_options const& how) {
    constexpr std::size_t highest = std::size_t(1) << 22;
    if (rate < 2 || other < 2 || rate > highest || other > highest)
        fail<std::invalid_argument>({"resampling_error expects rates from 2 to ", highest,
                                     " samples a second, but got ", rate, " and ", other});
    double const lower = static_cast<double>(std::min(rate, other));
    if (!(how.frequency >= 1 && how.frequency < lower / 2))
        fail<std::invalid_argument>({"resampling_error expects a frequency from 1 Hz to below ", lower / 2,
                                     " Hz, half of the lower rate, but got ", how.frequency, " Hz"});
    if (!(how.amplitude > 0 && std::isfinite(how.amplitude)))
        fail<std::invalid_argument>(
            {"resampling_error expects a finite amplitude above 0, but got ", how.amplitude});
    if (!(how.seconds >= 0 && how.seconds <= 60))
        fail<std::invalid_argument>(
            {"resampling_error expects to wait from 0 to 60 seconds, but got ", how.seconds});
    std::size_t const common = std::gcd(rate, other); // windows in a second
    auto const windows = static_cast<double>(common);
    auto const longer = static_cast<std::size_t>(std::ceil(windows / how.frequency));
    common_window found{{rate / common * longer, other / common * longer}, 0, 0};
    double const length = static_cast<double>(longer) / windows;
    found.periods = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(how.frequency * length)));
    std::size_t const least = std::min(found.samples[0], found.samples[1]);
    found.harmonics = (least - 1) / 2 / found.periods + 1;
    return found;
}

/// The harmonics of the outputs in a window after the net has settled, [harmonics, outputs].
template <class Net>
std::vector<std::complex<double>> harmonics_of(Net const& net, std::size_t samples, std::size_t windows,
                                               common_window const& window, double amplitude) {
    using S = typename Net::scalar_type;
    std::size_t const steps = samples * (windows + 1), outputs = net.output_size();
    double const turn =
        2 * std::numbers::pi * static_cast<double>(window.periods) / static_cast<double>(samples);
    xt::xtensor<S, 3> xs = xt::zeros<S>({steps, std::size_t{1}, net.input_size()});
    for (std::size_t t = 0; t < steps; ++t)
        xs(t, 0, 0) = static_cast<S>(amplitude * std::sin(turn * static_cast<double>(t % samples)));
    auto const ys = infer(net, xs, net.zero_state(1)).outputs;
    std::vector<std::complex<double>> found(window.harmonics * outputs);
    for (std::size_t k = 0; k < window.harmonics; ++k)
        for (std::size_t t = 0; t < samples; ++t) {
            double const angle = turn * static_cast<double>(k) * static_cast<double>(t);
            std::complex<double> const wave(std::cos(angle), -std::sin(angle));
            for (std::size_t i = 0; i < outputs; ++i)
                found[k * outputs + i] += wave * static_cast<double>(ys(windows * samples + t, 0, i));
        }
    for (auto& one : found)
        one /= static_cast<double>(samples);
    return found;
}

} // namespace detail

/// Of nets of one input x, whose first number is the sine, and others 0; 0 where the net that learned gives
/// nothing but zeros, and so does the other one. Throws `std::invalid_argument` for a rate below 2 or above
/// four million, for nets of other sizes, and for options that cannot be.
template <class Net, class Other>
double resampling_error(Net const& learned, Other const& other, std::size_t rate, std::size_t other_rate,
                        resampling_options const& how = {}) {
    if (learned.input_size() != other.input_size() || learned.output_size() != other.output_size())
        fail<std::invalid_argument>({"resampling_error expects nets of the same sizes, but one has ",
                                     learned.input_size(), " inputs and ", learned.output_size(),
                                     " outputs, the other one ", other.input_size(), " and ",
                                     other.output_size()});
    auto const window = detail::window_of(rate, other_rate, how);
    double const length = static_cast<double>(window.samples[0]) / static_cast<double>(rate);
    auto const windows = static_cast<std::size_t>(std::ceil(how.seconds / length));
    auto const expected = detail::harmonics_of(learned, window.samples[0], windows, window, how.amplitude);
    auto const found = detail::harmonics_of(other, window.samples[1], windows, window, how.amplitude);
    double error = 0, signal = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        error += std::norm(found[i] - expected[i]);
        signal += std::norm(expected[i]);
    }
    return error == 0 ? 0 : error / signal;
}

} // namespace sluice
