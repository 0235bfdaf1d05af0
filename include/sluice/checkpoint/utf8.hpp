// SPDX-License-Identifier: BSL-1.0
// UTF-8, read strictly: no overlong forms, no surrogates, nothing above U+10FFFF: the table of well-formed
// byte sequences in the Unicode standard, section 3.9.
#pragma once

#include <cstddef>
#include <string_view>

namespace sluice {

/// One character, and the number of bytes that it takes; no bytes where the text is ill-formed, or at its
/// end.
struct utf8_character {
    char32_t code = 0;
    std::size_t bytes = 0;
};

constexpr utf8_character first_character(std::string_view text) {
    if (text.empty())
        return {};
    unsigned const lead = static_cast<unsigned char>(text.front());
    if (lead < 0x80)
        return {lead, 1};
    std::size_t bytes = 0;
    if (lead >= 0xC2 && lead <= 0xDF)
        bytes = 2;
    else if (lead >= 0xE0 && lead <= 0xEF)
        bytes = 3;
    else if (lead >= 0xF0 && lead <= 0xF4)
        bytes = 4;
    if (bytes == 0 || text.size() < bytes)
        return {};
    unsigned lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    char32_t code = lead & (0x7Fu >> bytes);
    for (std::size_t next = 1; next < bytes; ++next) {
        unsigned const follower = static_cast<unsigned char>(text[next]);
        if (follower < lowest || follower > highest)
            return {};
        code = code << 6 | (follower & 0x3Fu);
        lowest = 0x80;
        highest = 0xBF;
    }
    return {code, bytes};
}

/// Whether bytes are text in UTF-8.
constexpr bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        std::size_t const bytes = first_character(text).bytes;
        if (bytes == 0)
            return false;
        text.remove_prefix(bytes);
    }
    return true;
}

} // namespace sluice
