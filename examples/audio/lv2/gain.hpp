// SPDX-License-Identifier: BSL-1.0
// A gain in dB that moves to where it was turned as a knob does (amp.hpp). At 0 dB no bit of a sound changes.
#pragma once

#include "../amp.hpp"

#include <cmath>
#include <cstddef>
#include <span>

namespace audio {

class gain {
public:
    explicit gain(double rate) : share_(share_of_a_sample(rate)) {}

    /// Passed over where it is no number.
    void turn(float decibels) noexcept {
        if (std::isfinite(decibels) && decibels != decibels_) {
            decibels_ = decibels;
            turned_ = std::pow(10.f, decibels / 20);
        }
    }
    void settle() noexcept { factor_ = turned_; }
    /// in and out may be the same place.
    void process(float const* in, float* out, std::size_t count) noexcept {
        for (std::size_t t = 0; t < count; ++t)
            out[t] = (factor_ += share_ * (turned_ - factor_)) * in[t];
    }

private:
    float share_, decibels_ = 0, turned_ = 1, factor_ = 1;
};

} // namespace audio
