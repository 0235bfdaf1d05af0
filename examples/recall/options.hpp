// SPDX-License-Identifier: BSL-1.0
// The words of the command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace recall {

/// A command line that cannot be used: a sentence.
struct bad_call : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct options {
    bool help = false;
    bool quick = false;
    std::uint64_t seed = 1;
    std::size_t steps = 0; // 0: as many as the run usually has
    std::string picture{}; // no file where it is empty
};

/// Throws bad_call.
options parse(std::span<char const* const> words);

extern char const* const help_text;

} // namespace recall
