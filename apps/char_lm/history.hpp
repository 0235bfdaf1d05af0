// SPDX-License-Identifier: BSL-1.0
#pragma once

// How far a training has come, beside what the network holds. All of it is in the checkpoint.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace char_lm {

inline constexpr double most_seconds = 1e10; // three hundred years

struct history {
    std::size_t step = 0;          // gradient steps made; the place in the data follows from it
    std::size_t validated = 0;     // the step of the last validation
    double validation = 0;         // its bits per character
    std::size_t best_step = 0;     // 0: no validation yet
    double best = 0;               // bits per character of the best validation
    double bits = 0;               // training cost since the last validation
    std::size_t counted = 0;       // and over how many characters
    double seconds = 0;            // of training, in all runs
    std::vector<std::string> text; // what --text named, as absolute paths
    std::uint64_t fingerprint = 0; // of the text that was read
};

} // namespace char_lm
