// SPDX-License-Identifier: BSL-1.0
#pragma once

// The text to learn: files, sorted by relative path, and shared out by file between training, validation and
// test. A character is a byte; a file with a zero byte is binary and no text.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace char_lm {

struct document {
    std::string name; // path below the folder or file that the user named, with '/'
    std::string text;
};

struct corpus {
    std::vector<document> training, validation, test;
    std::string origin;        // what was read, in words
    bool split_by_file = true; // false: one or two files, split by position
    std::uint64_t fingerprint = 0;
    std::vector<std::filesystem::path> files,
        folders; // what was read, and the folders that were looked through
};

inline constexpr std::size_t most_text = 1 << 30; // bytes that are read in all

// Files or folders; nothing means the standard library headers. Throws bad_call with a sentence.
corpus read_corpus(const std::vector<std::string>& paths, std::size_t most = most_text);

// The share-out alone. About a twentieth of the characters are for validation and as many for the test; which
// files, is decided by a hash of their names, so that it is the same on every machine.
corpus split(std::vector<document> documents);

std::size_t characters(const std::vector<document>& documents);

} // namespace char_lm
