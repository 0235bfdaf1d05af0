// SPDX-License-Identifier: BSL-1.0
// Text from paths, files and models, made fit for a terminal: what would move the cursor, change colours or
// reverse the direction of writing is shown as an escape instead. All programs here that print such text use
// it.
#pragma once

#include <cstddef>
#include <cstdio>
#include <sluice/checkpoint/error.hpp>
#include <sluice/checkpoint/utf8.hpp>
#include <string>
#include <string_view>

namespace terminal {

inline std::string escape(unsigned code, bool is_byte) {
    char text[16];
    std::snprintf(text, sizeof text, is_byte ? "\\x%02x" : "\\u%04x", code);
    return text;
}

/// "a\x1b[2Jb" becomes "a\\x1b[2Jb". Escaped are control characters, bytes that are not UTF-8, and the
/// characters of Unicode that control the direction of text. Of all these, the ones in `kept` (ASCII) stay.
inline std::string terminal_text(std::string_view text, std::string_view kept = "") {
    std::string result;
    while (!text.empty()) {
        auto const [code, length] = sluice::first_character(text);
        if (length == 0)
            result += escape(static_cast<unsigned char>(text[0]), true);
        else if (!sluice::checkpoint_errors::is_control(code) ||
                 (length == 1 && kept.find(text[0]) != std::string_view::npos))
            result += text.substr(0, length);
        else if (code == '\n' || code == '\t' || code == '\r')
            result += code == '\n' ? "\\n" : code == '\t' ? "\\t" : "\\r";
        else
            result += escape(code, length == 1);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return result;
}

/// The same, with dots for its middle where it is longer than `most` bytes, which are 8 or more: names in a
/// file may have megabytes, and many differ at their ends.
inline std::string short_terminal_text(std::string_view text, std::size_t most = 120) {
    std::string const all = terminal_text(text);
    if (all.size() <= most)
        return all;
    auto const is_inside = [&](std::size_t at) { // a character of several bytes
        return at < all.size() && (static_cast<unsigned char>(all[at]) & 0xC0u) == 0x80u;
    };
    std::size_t end = (most - 3) / 2, begin = all.size() - (most - 3) / 2;
    while (is_inside(end))
        --end;
    while (is_inside(begin))
        ++begin;
    return all.substr(0, end) + "..." + all.substr(begin);
}

} // namespace terminal
