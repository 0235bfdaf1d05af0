// SPDX-License-Identifier: BSL-1.0
#pragma once

// What a user can put right: the sentence is printed as it is, and the program ends with exit code 2.

#include <stdexcept>

namespace char_lm {

struct bad_call : std::runtime_error {
    using std::runtime_error::runtime_error;
};

} // namespace char_lm
