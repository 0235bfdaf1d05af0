// SPDX-License-Identifier: BSL-1.0
// Files that other programs have written: recorded_in("npz", "types.npz") is tests/reference/npz/types.npz.
#pragma once

#include <filesystem>
#include <string>

namespace checkpoint_test {

inline std::filesystem::path recorded_in(std::string const& folder, std::string const& name) {
    return std::filesystem::path(SLUICE_RECORDINGS) / folder / name;
}

} // namespace checkpoint_test
