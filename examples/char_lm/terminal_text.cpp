// SPDX-License-Identifier: BSL-1.0
#include "terminal_text.hpp"

#include <cstdio>
#include <sluice/checkpoint/utf8.hpp>

namespace char_lm {

namespace {

// The bytes of the UTF-8 character that begins here; 0 when none does.
std::size_t length_of_character(std::string_view text) {
    for (const std::size_t length : {1u, 2u, 3u, 4u})
        if (length <= text.size() && sluice::is_utf8(text.substr(0, length)))
            return length;
    return 0;
}

unsigned code_point(std::string_view character) {
    const unsigned lead = static_cast<unsigned char>(character[0]);
    unsigned code = character.size() == 1 ? lead : lead & (0x7Fu >> character.size());
    for (const char c : character.substr(1))
        code = code << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
    return code;
}

bool controls(unsigned code) {
    const auto between = [&](unsigned low, unsigned high) { return low <= code && code <= high; };
    return code < 0x20 || between(0x7F, 0x9F) ||        // C0, delete and C1
           between(0x200E, 0x200F) || code == 0x061C || // marks of direction
           between(0x2028, 0x202E) ||                   // separators of lines, embeddings and overrides
           between(0x2066, 0x2069);                     // isolates
}

std::string escape(unsigned code, bool byte) {
    char text[16];
    std::snprintf(text, sizeof text, byte ? "\\x%02x" : "\\u%04x", code);
    return text;
}

} // namespace

std::string terminal_text(std::string_view text, std::string_view kept) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = length_of_character(text);
        const unsigned code =
            length == 0 ? static_cast<unsigned char>(text[0]) : code_point(text.substr(0, length));
        if (length == 0)
            result += escape(code, true);
        else if (!controls(code) || (length == 1 && kept.find(text[0]) != std::string_view::npos))
            result += text.substr(0, length);
        else if (code == '\n' || code == '\t' || code == '\r')
            result += code == '\n' ? "\\n" : code == '\t' ? "\\t" : "\\r";
        else
            result += escape(code, length == 1);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return result;
}

} // namespace char_lm
