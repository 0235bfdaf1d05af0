// SPDX-License-Identifier: BSL-1.0
#include "terminal_text.hpp"

#include <cstdio>
#include <sluice/checkpoint/error.hpp>
#include <sluice/checkpoint/utf8.hpp>

namespace char_lm {

namespace {

// What moves the cursor, and, of what does not, the marks of direction.
bool controls(char32_t code) {
    return sluice::checkpoint_errors::is_control(code) || code == 0x200E || code == 0x200F || code == 0x061C;
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
        const auto [code, length] = sluice::first_character(text);
        if (length == 0)
            result += escape(static_cast<unsigned char>(text[0]), true);
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
