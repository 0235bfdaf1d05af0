// SPDX-License-Identifier: BSL-1.0
// Is this text well-formed UTF-8? No overlong forms, no surrogates, nothing above U+10FFFF:
// the table of well-formed byte sequences in the Unicode standard, section 3.9.
#pragma once

#include <cstddef>
#include <string_view>

namespace sluice {

constexpr bool is_utf8(std::string_view text) {
    std::size_t next = 0;
    while (next < text.size()) {
        unsigned const lead = static_cast<unsigned char>(text[next++]);
        if (lead < 0x80)
            continue;
        std::size_t followers = 0;
        if (lead >= 0xC2 && lead <= 0xDF)
            followers = 1;
        else if (lead >= 0xE0 && lead <= 0xEF)
            followers = 2;
        else if (lead >= 0xF0 && lead <= 0xF4)
            followers = 3;
        if (followers == 0 || text.size() - next < followers)
            return false;
        unsigned lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
        unsigned highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
        for (; followers > 0; --followers) {
            unsigned const follower = static_cast<unsigned char>(text[next++]);
            if (follower < lowest || follower > highest)
                return false;
            lowest = 0x80;
            highest = 0xBF;
        }
    }
    return true;
}

} // namespace sluice
