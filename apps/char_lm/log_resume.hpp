// SPDX-License-Identifier: BSL-1.0
#pragma once

// A run that was killed may have logged more than its last checkpoint holds. A resumed run makes those steps
// again, so their lines have to go first.

#include "history.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace char_lm {

// How many bytes of the log stand for what the checkpoint holds: up to its last line of such a step. Throws
// bad_call when the file is not the log of this training, of which rate(step) is the learning rate. Nothing
// is written, and there need be no file.
std::uintmax_t known_part(const std::string& path, const history& past,
                          const std::function<double(std::size_t)>& rate);

} // namespace char_lm
