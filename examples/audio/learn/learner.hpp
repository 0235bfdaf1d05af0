// SPDX-License-Identifier: BSL-1.0
// A net that learns what an amplifier does, sample by sample:
//
//   h_t = cell(x_t)               a cell of SLUICE_AUDIO_CELLS      [batch, units]
//   y_t = h_t W_y + b_y + x_t                                       [batch, 1]
//
// Its loss is error_to_signal, with pre-emphasis and DC term. Rows of a batch are segments of the sound; each
// starts with the cell's first states and some samples that only warm them up, and then learns part by part,
// through which states are carried and gradients are not (truncated backpropagation through time).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <sluice/model/described_model.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace audio {

inline constexpr std::size_t warm_up = 1000; ///< samples
inline constexpr std::size_t part = 500;     ///< samples between two steps of the optimiser
inline constexpr std::size_t parts = 8;      ///< of a segment

/// Of a sound, in samples.
struct piece {
    std::span<float const> dry{}, wet{};
};

class learner {
public:
    virtual ~learner() = default;
    virtual std::size_t parameter_count() const = 0;
    /// Segments from these samples on, side by side. Each part of them is one step of Adam at the rate; the
    /// mean loss of all parts.
    virtual double learn(piece const& from, std::span<std::size_t const> starts, double rate) = 0;
    /// What the net makes of a sound, from its first states.
    virtual std::vector<float> play(std::span<float const> dry) const = 0;
    virtual std::vector<float> numbers() const = 0; ///< of all parameters
    virtual void take(std::vector<float> const& numbers) = 0;
    virtual sluice::described_model describe(double rate) const = 0;
};

/// Those that were compiled, SLUICE_AUDIO_CELLS of the build.
std::vector<std::string> const& cells();
/// A net with one of these.
std::unique_ptr<learner> make_learner(std::string_view cell, std::size_t units, std::uint64_t seed);

/// sum (y - t)^2 / sum t^2, after the pre-emphasis. 0.01 is an error of 20 dB below the sound.
double error_of(std::span<float const> prediction, std::span<float const> target, double pre_emphasis);

} // namespace audio
