// SPDX-License-Identifier: BSL-1.0
// The check sums of HDF5.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sluice::hdf5::detail {

/// Bob Jenkins' lookup3 (hashlittle, from 0), which stands after the metadata of the format from 1.8 on.
inline std::uint32_t lookup3(std::span<std::byte const> bytes) {
    std::uint32_t const begin = 0xDEADBEEF + static_cast<std::uint32_t>(bytes.size());
    std::uint32_t a = begin, b = begin, c = begin;
    /// Adds up to 12 bytes.
    auto const take = [&](std::span<std::byte const> part) {
        std::array<std::uint32_t*, 3> const words{&a, &b, &c};
        for (std::size_t i = 0; i < part.size(); ++i)
            *words[i / 4] += std::to_integer<std::uint32_t>(part[i]) << (8 * (i % 4));
    };
    auto const mix = [](std::uint32_t& x, std::uint32_t& y, std::uint32_t z, int bits) {
        x = (x - z) ^ std::rotl(z, bits);
        return z + y;
    };
    while (bytes.size() > 12) {
        take(bytes.first(12));
        c = mix(a, b, c, 4);
        a = mix(b, c, a, 6);
        b = mix(c, a, b, 8);
        c = mix(a, b, c, 16);
        a = mix(b, c, a, 19);
        b = mix(c, a, b, 4);
        bytes = bytes.subspan(12);
    }
    if (bytes.empty())
        return c;
    take(bytes);
    auto const end = [](std::uint32_t& x, std::uint32_t y, int bits) { x = (x ^ y) - std::rotl(y, bits); };
    end(c, b, 14);
    end(a, c, 11);
    end(b, a, 25);
    end(c, b, 16);
    end(a, c, 4);
    end(b, a, 14);
    end(c, b, 24);
    return c;
}

/// Fletcher's sum over words of two bytes, high byte first, which the filter fletcher32 puts after a chunk.
/// A sum that 65535 divides is 65535, unless all was zero.
inline std::uint32_t fletcher32(std::span<std::byte const> bytes) {
    auto const reduced = [](std::uint32_t sum) { return sum == 0 ? 0 : (sum - 1) % 65'535 + 1; };
    std::uint32_t one = 0, two = 0;
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
        std::uint32_t const low = i + 1 < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i + 1]) : 0;
        one = reduced(one + (std::to_integer<std::uint32_t>(bytes[i]) << 8 | low));
        two = reduced(two + one);
    }
    return two << 16 | one;
}

} // namespace sluice::hdf5::detail
