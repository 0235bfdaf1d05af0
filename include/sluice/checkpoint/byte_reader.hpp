// SPDX-License-Identifier: BSL-1.0
// The bytes of a file in memory, read at places that the file itself names.
#pragma once

#include <sluice/checkpoint/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace sluice::detail {

/// Little-endian numbers of a file, none of them after its end: `checkpoint_errors::data_truncated` is
/// thrown there.
class byte_reader {
public:
    /// `file` is what errors call it, in quotes.
    byte_reader(std::span<std::byte const> bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {}

    std::uint64_t size() const { return bytes_.size(); }
    std::string const& file() const { return file_; }
    /// A number of at most 8 bytes.
    std::uint64_t number(std::uint64_t at, std::size_t width) const {
        std::uint64_t found = 0;
        auto const part = bytes(at, width);
        for (std::size_t i = width; i-- > 0;)
            found = found << 8 | std::to_integer<std::uint64_t>(part[i]);
        return found;
    }
    std::span<std::byte const> bytes(std::uint64_t at, std::uint64_t count) const {
        if (at > bytes_.size() || count > bytes_.size() - at)
            throw checkpoint_errors::data_truncated(
                file_ + " ends within what it says is there: " + std::to_string(count) + " bytes at " +
                std::to_string(at) + " of " + std::to_string(bytes_.size()) + ".");
        return bytes_.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(count));
    }
    std::string text(std::uint64_t at, std::uint64_t count) const {
        auto const part = bytes(at, count);
        return {reinterpret_cast<char const*>(part.data()), part.size()};
    }

private:
    std::span<std::byte const> bytes_;
    std::string file_;
};

} // namespace sluice::detail
