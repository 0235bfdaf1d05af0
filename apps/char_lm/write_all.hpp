// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>
#include <system_error>

namespace char_lm {

// All bytes to the descriptor, past every buffer, so that a failure is known at once. Where nothing takes
// them, such as from a pipe that is full, it waits; once the program is to stop (interrupt.hpp), for a second
// at most.
std::error_code write_all(int descriptor, std::string_view bytes);

} // namespace char_lm
