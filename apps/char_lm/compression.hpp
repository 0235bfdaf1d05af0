// SPDX-License-Identifier: BSL-1.0
#pragma once

// What `xz -9` needs for the same files, laid end to end: a figure to hold beside the model's.

#include "corpus.hpp"

#include <optional>
#include <vector>

namespace char_lm {

// Bits per character; nothing when there is no xz on this machine, no room for a temporary file, or the
// program is to stop.
std::optional<double> xz_bits(const std::vector<document>& documents);

} // namespace char_lm
