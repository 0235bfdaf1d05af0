// SPDX-License-Identifier: BSL-1.0
// A contestant in a process of its own: this program, started again, which has one library's threads and no others.
#pragma once

#include "rounds.hpp"
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// This program with other words, which prints a name and then serves it (`serve`). Between its turns the process is
/// stopped, so that threads that wait for work do not take a core from the others. None: it printed an empty name.
std::optional<contestant> in_own_process(std::vector<std::string> const& words);

} // namespace bench
