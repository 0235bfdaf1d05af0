// SPDX-License-Identifier: BSL-1.0
// A model of a file for a sound of some sample rate. Where it learned at another one its cells are resampled
// (docs/running.md): its LSTM and GRU go back by as much time as they learned to, and not by one sample.
#pragma once

#include <filesystem>
#include <sluice/model/described_model.hpp>
#include <sluice/model/model.hpp>

namespace audio {

/// `learned` is the rate of the model where its file says none or another one is meant; 0: what the file
/// says. Without either, it is taken for the rate of the sound. Throws sluice::checkpoint_error for a
/// file that is no model, and `std::invalid_argument` for one that cannot be played at more than five times
/// its rate.
sluice::model<float> read_model_at_rate(std::filesystem::path const& path, double rate, double learned = 0);

/// The same of a description that is read already, and does say its rate.
sluice::model<float> resampled_model(sluice::described_model from, double rate);

} // namespace audio
