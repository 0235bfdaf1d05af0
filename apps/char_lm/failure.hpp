// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stdexcept>
#include <string>

namespace char_lm {

// What a user can put right: the sentence is printed as it is, and the program ends as `refused`.
struct bad_call : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws bad_call with the sentence unless it holds.
inline void require(bool holds, const std::string& sentence) {
    if (!holds)
        throw bad_call(sentence);
}

// Standard output or the log takes nothing more. The training is whole and can be saved.
struct cannot_write : std::runtime_error {
    using std::runtime_error::runtime_error;
};

} // namespace char_lm
