// SPDX-License-Identifier: BSL-1.0
// A sound and what an amplifier makes of it: files of the caller's, or plucked strings through sox.
#pragma once

#include "../sound.hpp"

#include <cstdint>
#include <filesystem>

namespace audio {

struct pair_of_sounds {
    sound dry{}, wet{}; ///< of one rate and length
};

/// Throws `std::runtime_error` for files whose rates differ. The longer one is cut to the length of the
/// other.
pair_of_sounds read_pair(std::filesystem::path const& dry, std::filesystem::path const& wet);

/// Strings that are plucked one after the other and together (Karplus and Strong, Computer Music Journal 7,
/// 1983), for some seconds at 44.1 kHz, as dry.wav in the folder, and as wet.wav what the program sox makes
/// of it: overdrive, then treble cut. Throws where sox is missing.
pair_of_sounds make_pair_of_sounds(double seconds, std::uint64_t seed, std::filesystem::path const& folder);

} // namespace audio
