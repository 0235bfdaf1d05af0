// SPDX-License-Identifier: BSL-1.0
// FNV-1a, 64 bits (Fowler, Noll and Vo): a hash of bytes or words that is the same on every machine. It keeps
// nothing secret.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice {

/// The hash of what was hashed before, and of one byte or word more.
constexpr std::uint64_t fnv_with(std::uint64_t before, std::uint64_t next) {
    return (before ^ next) * 0x100000001b3;
}
inline constexpr std::uint64_t fnv_of_nothing = 0xcbf29ce484222325;

constexpr std::uint64_t fnv(std::string_view bytes, std::uint64_t before = fnv_of_nothing) {
    for (char const byte : bytes)
        before = fnv_with(before, static_cast<unsigned char>(byte));
    return before;
}

} // namespace sluice
