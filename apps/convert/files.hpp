// SPDX-License-Identifier: BSL-1.0
// Files of weights by the ending of their names.
#pragma once

#include <cstddef>
#include <filesystem>
#include <sluice/checkpoint/archive.hpp>
#include <span>
#include <vector>

namespace convert {

/// Throws `std::invalid_argument` for an ending that is not known, and a `checkpoint_error` for what the
/// reader refuses.
sluice::archive read_file(std::filesystem::path const& path);
/// The bytes of a file with such a name. Throws in the same way.
std::vector<std::byte> file_of(std::filesystem::path const& path, sluice::archive const& contents);

/// What is to be written, and where.
struct result {
    std::filesystem::path path;
    std::vector<std::byte> bytes;
};

/// Replaces each file as a whole or not at all. Throws `std::invalid_argument`, before anything is written,
/// where two results are one file, or one is the file that was read: what is written has the weights that
/// were asked for and nothing else of it. `checkpoint_errors::file_unwritable` where a file cannot be
/// written.
void write_results(std::filesystem::path const& read, std::span<result const> results);

} // namespace convert
