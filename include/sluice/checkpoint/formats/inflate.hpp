// SPDX-License-Identifier: BSL-1.0
// Deflated bytes, unpacked by zlib: link sluice::deflate.
#pragma once

#include <sluice/checkpoint/budget.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <zlib.h>

namespace sluice::detail {

/// Alone, as in zip files (RFC 1951), or with zlib's header and check sum, as in HDF5 (RFC 1950).
enum class deflate_form { raw, zlib };

/// So many bytes of a file, or nothing where the packed ones, all of them, do not give just these.
inline std::optional<counted_bytes> inflated(std::span<std::byte const> packed, std::uint64_t size,
                                             deflate_form form, checkpoint_budget& left) {
    constexpr std::string_view what = "a deflated part";
    counted_bytes bytes(left, size, what);
    left.step(packed.size() + size, what);
    z_stream stream{};
    if (inflateInit2(&stream, form == deflate_form::raw ? -MAX_WBITS : MAX_WBITS) != Z_OK)
        throw std::bad_alloc();
    Bytef no_bytes = 0; // zlib wants a place for them too
    Bytef* const to = size == 0 ? &no_bytes : reinterpret_cast<Bytef*>(bytes.data());
    std::uint64_t taken = 0, given = 0;
    int state = Z_OK;
    while (state == Z_OK) {
        constexpr std::uint64_t most = std::numeric_limits<uInt>::max();
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data())) + taken;
        stream.avail_in = static_cast<uInt>(std::min<std::uint64_t>(most, packed.size() - taken));
        stream.next_out = to + given;
        stream.avail_out = static_cast<uInt>(std::min(most, size - given));
        uInt const in = stream.avail_in, out = stream.avail_out;
        state = inflate(&stream, Z_NO_FLUSH);
        taken += in - stream.avail_in;
        given += out - stream.avail_out;
    }
    inflateEnd(&stream);
    if (state != Z_STREAM_END || taken != packed.size() || given != size)
        return std::nullopt;
    return bytes;
}

} // namespace sluice::detail
