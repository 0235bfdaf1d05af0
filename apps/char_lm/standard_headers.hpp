// SPDX-License-Identifier: BSL-1.0
#pragma once

// The folder of the C++ standard library headers that the compiler ships: the first folder of its include
// path that holds a file `vector`. The compiler is the one that built this program, or else `c++`.

#include <filesystem>

namespace char_lm {

// Throws bad_call when no compiler answers.
std::filesystem::path standard_headers();

} // namespace char_lm
