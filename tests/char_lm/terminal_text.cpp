// SPDX-License-Identifier: BSL-1.0
// What reaches a terminal, and what is shown instead.

#include "../../apps/terminal_text.hpp"

#include <doctest/doctest.h>
#include <string_view>

using terminal::short_terminal_text;
using terminal::terminal_text;
using namespace std::string_view_literals;

TEST_CASE("terminal text: what is text stays") {
    for (const std::string_view text :
         {""sv, "plain text, with \\ and \""sv, "Schleuse, \u00fcber \u6c34 \U0001F30A"sv})
        CHECK(terminal_text(text) == text);
}

TEST_CASE("terminal text: what controls a terminal is escaped") {
    CHECK(terminal_text("\x1b[2J"sv) == "\\x1b[2J");
    CHECK(terminal_text("\0\x7f\b"sv) == "\\x00\\x7f\\x08");
    CHECK(terminal_text("a\nb\tc\r"sv) == "a\\nb\\tc\\r");
    CHECK(terminal_text("a\nb\tc\r"sv, "\n\t") == "a\nb\tc\\r");
    CHECK(terminal_text("\u009b2J \u0085"sv) == "\\u009b2J \\u0085"); // C1, in UTF-8
    CHECK(terminal_text("\u202etxt\u2066 \u2028"sv) == "\\u202etxt\\u2066 \\u2028");
}

TEST_CASE("terminal text: bytes that are not UTF-8 are escaped one by one") {
    CHECK(terminal_text("\x9b\xff"sv) == "\\x9b\\xff");
    CHECK(terminal_text("caf\xe9 \xc3"sv) == "caf\\xe9 \\xc3"); // Latin-1, and a character cut short
    CHECK(terminal_text("\xc0\x9b\xed\xa0\x80"sv) == "\\xc0\\x9b\\xed\\xa0\\x80"); // overlong, surrogate
    CHECK(terminal_text("\xf4\x90\x80\x80"sv) == "\\xf4\\x90\\x80\\x80");          // beyond Unicode
}

TEST_CASE("terminal text: a long one is cut in its middle, and no character in two") {
    CHECK(short_terminal_text("0123456789"sv, 10) == "0123456789");
    CHECK(short_terminal_text("0123456789a"sv, 10) == "012...89a");
    CHECK(short_terminal_text("\x1b\x1b\x1b\x1b"sv, 11) == "\\x1b...\\x1b");
    for (std::size_t most = 8; most < 40; ++most) {
        const std::string cut = short_terminal_text(
            "\u6c34\u6c34\u6c34\u6c34\u00fc\u6c34\u6c34\u6c34\U0001F30A\u6c34 end"sv, most);
        CHECK(cut.size() <= most);
        CHECK(terminal_text(cut) == cut); // it is UTF-8
    }
    CHECK(short_terminal_text(std::string(1'000'000, 'x')).size() <= 120);
}
