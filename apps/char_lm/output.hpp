// SPDX-License-Identifier: BSL-1.0
#pragma once

// All that goes to standard output and standard error.

#include <string_view>

namespace char_lm {

// First of all: a closed standard stream becomes /dev/null. Otherwise the next file to be opened would get
// its number, and with it all that is printed.
void open_standard_streams();

bool output_is_terminal();

// Both throw cannot_write.
void put(std::string_view bytes); // as they are
void say(std::string_view line);  // escaped (terminal_text.hpp), and a line of its own

void complain(std::string_view sentence); // on standard error, escaped

} // namespace char_lm
