// SPDX-License-Identifier: BSL-1.0
// Text from files and paths, as sentences of errors show it.
#include <doctest/doctest.h>
#include <sluice/checkpoint/error.hpp>
#include <stdexcept>
#include <support/both.hpp>

namespace error_test {

using sluice::checkpoint_errors::is_control, sluice::checkpoint_errors::shown;

TEST_CASE("error: what a terminal would act on is a question mark, and so is each byte that is not UTF-8") {
    CHECK(shown("W_r") == "'W_r'");
    CHECK(shown("") == "''");
    CHECK(shown(std::string_view("a\0b\x1b[2Jc\x7f", 9)) == "'a?b?[2Jc?'");
    CHECK(shown("\xc2\x9b"
                "1m") == "'?1m'"); // a control of one character
    CHECK(shown("a\xe2\x80\xae"
                "b\xe2\x80\x8f"
                "c") == "'a?b?c'"); // to the left from here; a mark of that
    CHECK(shown("\xff\xc3(") == "'?\?('");
    CHECK(shown("gr\xc3\xbc\xc3\x9f") == "'gr\xc3\xbc\xc3\x9f'");
}

TEST_CASE("error: what is shown is UTF-8 without controls, whatever it was") {
    CHECK(shown("snow \xE2\x98\x83 \xC2\xA0 \xF0\x9F\x98\x80") ==
          "'snow \xE2\x98\x83 \xC2\xA0 \xF0\x9F\x98\x80'");
    CHECK(shown(std::string_view("\0a\x1Bz\x7F.", 6)) == "'?a?z?.'");
    CHECK(shown("\x9B 31m \xC2 \xC2\x9B \xE2\x98 \xF4\x90\x80\x80.") == "'? 31m ? ? ?? ????.'");
    CHECK(shown("\xE2\x80\xA8 \xE2\x80\xAE \xE2\x81\xA9") == "'? ? ?'");
    CHECK(shown("abcd", 4) == "'abcd'");
    CHECK(shown("abcde", 4) == "'abcd...'");
    CHECK(shown("abc\xE2\x98\x83", 4) == "'abc...'"); // never a part of a character
    CHECK(shown(std::string(10, '\xFF'), 4) == "'????...'");
}

TEST_CASE("error: long text is cut between characters") {
    CHECK(shown("abcdef", 6) == "'abcdef'");
    CHECK(shown("abcdef", 5) == "'abcde...'");
    CHECK(shown("abcd\xc3\xbc", 5) == "'abcd...'");
    CHECK(shown(std::string(81, 'x')) == "'" + std::string(80, 'x') + "...'");
}

TEST_CASE("error: controls, separators, changes and marks of direction, and no other") {
    for (unsigned const code : {0x00u, 0x1bu, 0x7fu, 0x85u, 0x061cu, 0x200eu, 0x200fu, 0x2028u, 0x2029u,
                                0x202au, 0x202eu, 0x2066u, 0x2069u})
        CHECK(is_control(char32_t(code)));
    for (unsigned const code : {0x20u, 0x7eu, 0xa0u, 0x061bu, 0x061du, 0x200du, 0x2010u, 0x2027u, 0x202fu,
                                0x2065u, 0x206au, 0x1f600u})
        CHECK(!is_control(char32_t(code)));
    BOTH(is_control(U'\x07'));
    BOTH(!is_control(U'a'));
}

TEST_CASE("error: each kind is a checkpoint_error, and that a runtime_error") {
    CHECK_THROWS_AS(throw sluice::checkpoint_errors::costs_too_much("a"), sluice::checkpoint_error);
    CHECK_THROWS_AS(throw sluice::checkpoint_errors::bad_value("a"), std::runtime_error);
    CHECK(sluice::checkpoint_errors::shape_text(std::vector<std::size_t>{2, 3}) == "[2, 3]");
}

} // namespace error_test
