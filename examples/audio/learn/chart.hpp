// SPDX-License-Identifier: BSL-1.0
// A picture of what was learnt, as SVG: errors over time on the left, two waves on the right.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace audio {

/// The errors after some part of the time, 0 to 1.
struct curve_point {
    double done = 0, loss = 0,
           error = 0; ///< the mean loss since the point before; ESR of the held-out sound
};

/// `unit` says what the axis of time is in, `most` how many of it there were. The waves start there, and
/// `rate` is theirs.
std::string picture(std::vector<curve_point> const& curve, std::string const& unit, double most,
                    std::span<float const> target, std::span<float const> prediction, double rate);

} // namespace audio
