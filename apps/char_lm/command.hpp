// SPDX-License-Identifier: BSL-1.0
#pragma once

// Another program's standard output, as text. Empty when it could not be run, and when this program is to
// stop (interrupt.hpp), which ends the other one.

#include <string>

namespace char_lm {

// The word as one argument of a shell command.
std::string shell_word(const std::string& word);

// Its standard input is `input`, or empty when that is negative.
std::string output_of(const std::string& shell_command, int input = -1);

} // namespace char_lm
