// SPDX-License-Identifier: BSL-1.0
// A model of an amplifier as it is played: samples in, samples out, and knobs, which are the model's inputs
// after the first. A knob that is turned moves there sample by sample, so that nothing clicks:
//
//   k_t = k_t-1 + a (turned - k_t-1),  a = 1 - exp(-1 / (0.01 s rate))         63 % of the way in 10 ms
//
//   audio::amp amp(sluice::read_model("amp.json"), 48000);
//   amp.turn(0, 0.3f);
//   amp.process(in, out);          // from the thread of the sound: allocates nothing, takes no lock
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sluice/model/model.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace audio {

/// a, for a sample rate in Hz.
inline float share_of_a_sample(double rate) {
    return static_cast<float>(1 - std::exp(-1 / (0.01 * rate)));
}

class amp {
public:
    /// Where a knob stands before it is turned.
    static constexpr float middle = 0.5f;

    /// `rate` is that of the sound, in Hz. Throws `std::invalid_argument` for a model that has no input, or
    /// more than one output.
    amp(sluice::model<float> const& of, double rate)
        : inputs_(of.input_size()), live_(checked(of, rate).stream()), share_(share_of_a_sample(rate)),
          turned_(inputs_ == 0 ? 0 : inputs_ - 1, middle), knobs_(turned_),
          given_(inputs_ > 1 ? chunk * inputs_ : 0) {}

    std::size_t knobs() const { return turned_.size(); }
    /// A knob, from 0 on, moves to a value; one that is not there, or no number, is passed over.
    void turn(std::size_t knob, float value) noexcept {
        if (knob < turned_.size() && std::isfinite(value))
            turned_[knob] = value;
    }
    /// All knobs are where they were turned to, at once: before the first sample.
    void settle() noexcept { std::copy(turned_.begin(), turned_.end(), knobs_.begin()); }

    /// As many samples out as in, which may be the same place. Allocates nothing, takes no lock and throws
    /// nothing; out is as long as in.
    void process(std::span<float const> in, std::span<float> out) noexcept {
        if (inputs_ == 1) {
            live_.process(in, out.first(in.size()));
            return;
        }
        for (std::size_t from = 0; from < in.size(); from += chunk) {
            std::size_t const count = std::min(chunk, in.size() - from);
            for (std::size_t t = 0; t < count; ++t) {
                given_[t * inputs_] = in[from + t];
                for (std::size_t k = 0; k < knobs_.size(); ++k)
                    given_[t * inputs_ + 1 + k] = knobs_[k] += share_ * (turned_[k] - knobs_[k]);
            }
            live_.process(std::span<float const>(given_).first(count * inputs_), out.subspan(from, count));
        }
    }
    /// The model starts again. Allocates.
    void reset() { live_.reset(); }

private:
    static constexpr std::size_t chunk = 64;

    static sluice::model<float> const& checked(sluice::model<float> const& of, double rate) {
        if (of.input_size() == 0 || of.output_size() != 1)
            throw std::invalid_argument(
                "a model of an amplifier has a sound as input, perhaps knobs, and one "
                "output, but this one has " +
                std::to_string(of.input_size()) + " inputs and " + std::to_string(of.output_size()) +
                " outputs; give another one.");
        if (!(rate > 0))
            throw std::invalid_argument("a sample rate above 0 Hz is expected, but it is " +
                                        std::to_string(rate) + "; give the rate of the sound.");
        return of;
    }

    std::size_t inputs_;
    sluice::model_stream<float> live_;
    float share_;
    std::vector<float> turned_, knobs_, given_;
};

} // namespace audio
