// SPDX-License-Identifier: BSL-1.0
// A contestant in a process of its own: this program, started again, which has one library's threads and no
// others.
#pragma once

#include "rounds.hpp"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// What a process says (`said`) instead of an answer, before the reason.
inline constexpr std::string_view failed = "failed: ";

/// The path of this program.
std::string this_program();

/// A program with its words, which says a name and then serves it (`serve`). Between its turns the process is
/// stopped, so that threads that wait for work do not take a core from the others. None: it says an empty
/// name.
///
/// Here and when it is asked: throws `std::runtime_error` with what happened where the process cannot be
/// started, ends, says that it failed, or something else, or says nothing for so many seconds. What it prints
/// beside that (`said`) goes to standard error.
std::optional<contestant> in_own_process(std::vector<std::string> const& command, double patience = 120);

} // namespace bench
