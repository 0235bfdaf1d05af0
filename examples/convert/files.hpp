// SPDX-License-Identifier: BSL-1.0
// Files of weights by the ending of their names.
#pragma once

#include <filesystem>
#include <sluice/checkpoint/archive.hpp>

namespace convert {

/// Throws `std::invalid_argument` for an ending that is not known, and a `checkpoint_error` for what the reader refuses.
sluice::archive read_file(std::filesystem::path const& path);
/// Replaces a file that is there, as a whole or not at all.
void write_file(std::filesystem::path const& path, sluice::archive const& contents);

} // namespace convert
