// SPDX-License-Identifier: BSL-1.0
#pragma once

// Another program's standard output, as text. Empty when it could not be run.

#include <string>

namespace char_lm {

// The word as one argument of a shell command.
std::string shell_word(const std::string& word);

std::string output_of(const std::string& shell_command);

} // namespace char_lm
