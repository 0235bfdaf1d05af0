// SPDX-License-Identifier: BSL-1.0
// UTF-8: every character of the Unicode standard is read as what it was written from, and nothing else is
// read.
#include <cstddef>
#include <doctest/doctest.h>
#include <sluice/checkpoint/utf8.hpp>
#include <string>
#include <support/both.hpp>

namespace utf8_test {

using sluice::first_character, sluice::is_utf8;

namespace {

/// The code in this many bytes. Each byte after the first holds 6 bits.
std::string written(unsigned code, std::size_t bytes) {
    if (bytes == 1)
        return {static_cast<char>(code)};
    std::string text(bytes, '\0');
    for (std::size_t i = bytes; i-- > 1; code >>= 6)
        text[i] = static_cast<char>(0x80 | (code & 0x3F));
    unsigned const mark = 0xF00u >> bytes & 0xFF;
    text[0] = static_cast<char>(mark | code);
    return text;
}
std::size_t shortest(unsigned code) {
    return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}
bool is_read(std::string const& text) {
    return first_character(text).bytes != 0;
}

} // namespace

TEST_CASE("utf8: every character is read in its shortest form, and in no longer one") {
    std::size_t wrong = 0;
    for (unsigned code = 0; code <= 0x10FFFF; ++code) {
        bool const is_surrogate = code >= 0xD800 && code < 0xE000;
        for (std::size_t bytes = shortest(code); bytes <= 4; ++bytes) {
            auto const [read, taken] = first_character(written(code, bytes) + "\x80");
            bool const is_expected = bytes == shortest(code) && !is_surrogate;
            wrong += taken != (is_expected ? bytes : 0) || read != (is_expected ? code : 0);
        }
    }
    CHECK(wrong == 0);
    for (unsigned code = 0x110000; code < 0x200000; code += 0x0FFF)
        CHECK_FALSE(is_read(written(code, 4)));
}

TEST_CASE("utf8: of two bytes 1920 are a character, of three that begin alike at most 4096") {
    std::size_t pairs = 0, triples = 0;
    for (unsigned a = 0; a < 256; ++a)
        for (unsigned b = 0; b < 256; ++b) {
            char const text[] = {static_cast<char>(a), static_cast<char>(b)};
            pairs += first_character({text, 2}).bytes == 2;
            char const three[] = {'\xED', static_cast<char>(a), static_cast<char>(b)};
            triples += first_character({three, 3}).bytes == 3;
        }
    CHECK(pairs == 0x800 - 0x80);
    CHECK(triples == 0x800); // from U+D000 to where the surrogates begin
}

TEST_CASE("utf8: a character that is cut is none, and neither is its end") {
    for (unsigned const code : {0xE9u, 0x20ACu, 0x1F600u}) {
        std::string const whole = written(code, shortest(code));
        for (std::size_t length = 1; length < whole.size(); ++length) {
            CHECK_FALSE(is_utf8(whole.substr(0, length)));
            CHECK_FALSE(is_utf8(whole.substr(0, length) + " "));
            CHECK_FALSE(is_utf8("a" + whole.substr(length)));
        }
        CHECK(is_utf8("a" + whole + whole + "b"));
    }
    BOTH(is_utf8(""));
    BOTH(is_utf8(
        "a\xC2\x80 \xDF\xBF \xE0\xA0\x80 \xED\x9F\xBF \xEF\xBF\xBF \xF0\x90\x80\x80 \xF4\x8F\xBF\xBF"));
    BOTH(!is_utf8("\xFF"));
    BOTH(!is_utf8("\xC0\xAF"));
    BOTH(first_character("").bytes == 0);
    BOTH(is_utf8(std::string_view("\0", 1)));
}

} // namespace utf8_test
