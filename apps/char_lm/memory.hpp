// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "options.hpp"

#include <cstddef>

namespace char_lm {

// Throws bad_call when this machine has less memory than a training with these options needs at the very
// least.
void require_memory(const options& o, std::size_t symbols, std::size_t characters);

} // namespace char_lm
