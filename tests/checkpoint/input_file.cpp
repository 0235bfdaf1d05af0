// SPDX-License-Identifier: BSL-1.0
// Files that are read from their beginning: what comes, and what is no file to read.
#include "support.hpp"

#include <sluice/checkpoint/input_file.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace input_file_test {

using namespace checkpoint_test;
using sluice::detail::input_file;
namespace errors = sluice::checkpoint_errors;

TEST_CASE("input file: all bytes come, whatever they are, at once or one part after the other") {
    folder const here;
    std::string text;
    for (int i = 0; i < 70'001; ++i)
        text += static_cast<char>(i % 251);
    put_file(here / "m", text);
    CHECK(input_file(here / "m").size() == text.size());
    CHECK(input_file(here / "m").all() == bytes_of(text));
    input_file parts(here / "m");
    std::vector<std::byte> first(3), none, rest(text.size() - 3);
    parts(first);
    parts(none);
    parts(rest);
    CHECK(first == bytes_of(text.substr(0, 3)));
    CHECK(rest == bytes_of(text.substr(3)));
    put_file(here / "empty", "");
    CHECK(input_file(here / "empty").size() == 0);
    CHECK(input_file(here / "empty").all().empty());
    std::filesystem::create_symlink("m", here / "link");
    CHECK(input_file(here / "link").all().size() == text.size());
}

TEST_CASE("input file: one that becomes shorter while it is read is refused") {
    folder const here;
    put_file(here / "m", std::string(100'000, 'x'));
    input_file file(here / "m");
    std::filesystem::resize_file(here / "m", 50'000);
    CHECK(contains(
        sentence_of<errors::file_unreadable>([&] { file.all(); }),
        "m' ended, or could not be read, before its 100000 bytes were; something may be writing to it."));
    put_file(here / "m", "abc");
    input_file three(here / "m");
    std::vector<std::byte> four(4);
    CHECK_THROWS_AS(three(four), errors::file_unreadable);
}

TEST_CASE("input file: a path that is no readable file") {
    folder const here;
    CHECK(contains(sentence_of<errors::file_unreadable>([&] { input_file(here / "none"); }),
                   "none' cannot be read: there is no such file."));
    std::filesystem::create_symlink("loop", here / "loop");
    CHECK(contains(sentence_of<errors::file_unreadable>([&] { input_file(here / "loop"); }),
                   "loop' cannot be read: Too many levels of symbolic links."));
    std::filesystem::create_directory(here / "folder");
    CHECK(contains(sentence_of<errors::file_unreadable>([&] { input_file(here / "folder"); }),
                   "it is not a regular file."));
    CHECK(contains(sentence_of<errors::file_unreadable>([&] { input_file(here / "no\xFFne\n\xC2\x9B."); }),
                   "no?ne??.' cannot be read"));
    CHECK_THROWS_AS(input_file("/dev/null"), errors::file_unreadable);
}

} // namespace input_file_test
