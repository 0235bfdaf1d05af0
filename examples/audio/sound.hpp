// SPDX-License-Identifier: BSL-1.0
// Sounds of one channel, in WAV files and what else libsndfile reads.
#pragma once

#include <filesystem>
#include <vector>

namespace audio {

struct sound {
    int rate = 0; ///< in Hz
    std::vector<float> samples{};
};

/// Throws `std::runtime_error` with a sentence for a file that is no sound, or has several channels.
sound read_sound(std::filesystem::path const& path);
/// A WAV file of 32-bit floats: the same numbers come back. Throws where it cannot be written.
void write_sound(std::filesystem::path const& path, sound const& from);

} // namespace audio
