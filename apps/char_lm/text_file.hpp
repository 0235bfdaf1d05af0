// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace char_lm {

// The bytes of a file; nothing when there is a zero byte among them. Reading ends at the first zero byte, and
// soon after more than `most` bytes. Throws bad_call when the file is no regular one or cannot be read.
std::optional<std::string> read_text(const std::filesystem::path& path, std::size_t most);

} // namespace char_lm
