// SPDX-License-Identifier: BSL-1.0
// What a program may expect of files on every system: bytes come back as they were, a name may have any
// characters, a file is replaced as a whole or not at all, and what cannot be is refused by an exception that
// reaches who asked.
#include "support.hpp"

#include <sluice/checkpoint/formats/safetensors.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>
#ifndef __EMSCRIPTEN__
#include <thread>
#endif

namespace system_files_test {

using namespace checkpoint_test;
using namespace sluice;
namespace errors = sluice::checkpoint_errors;
namespace files = sluice::detail::system_files;

namespace {

archive archive_of(std::size_t count, float value) {
    archive a;
    a.add<float>("w", std::vector<std::size_t>{count}, std::vector<float>(count, value));
    return a;
}

} // namespace

TEST_CASE("system files: every byte comes back, line ends and the end-of-file of old systems among them") {
    folder const here;
    std::vector<std::byte> bytes;
    for (int round = 0; round < 5; ++round)
        for (int i = 0; i < 256; ++i)
            bytes.push_back(static_cast<std::byte>(i));
    for (char const c : std::string("\r\n\n\r\x1A\x1A\r\n"))
        bytes.push_back(static_cast<std::byte>(c));
    detail::replace_file(here / "m", bytes);
    CHECK(std::filesystem::file_size(here / "m") == bytes.size());
    CHECK(detail::input_file(here / "m").all() == bytes);

    archive a;
    std::vector<float> const ends(3001, std::bit_cast<float>(0x0A0D1A0A));
    a.add<float>("\r\n", std::vector<std::size_t>{3001}, ends);
    safetensors::write(here / "a", a);
    CHECK(std::filesystem::file_size(here / "a") == safetensors::serialise(a).size());
    CHECK(safetensors::read(here / "a").at<float>("\r\n") == ends);
}

TEST_CASE("system files: a file is replaced as a whole, and nothing else is left") {
    folder const here;
    for (std::size_t const size : std::vector<std::size_t>{3, 70'001, 0, 1})
        safetensors::write(here / "m", archive_of(size, static_cast<float>(size)));
    CHECK(safetensors::read(here / "m").at<float>("w") == std::vector{1.f});
    CHECK(here.names() == std::vector<std::string>{"m"});
}

TEST_CASE("system files: a write that is given up leaves the old file and no temporary") {
    folder const here;
    safetensors::write(here / "m", archive_of(3, 1));
    std::string const before = file_text(here / "m");
    {
        detail::temporary_file given_up(detail::find_target(here / "m"));
        given_up.append(std::vector<std::byte>(10'000));
        CHECK(here.names().size() == 2);
    }
    CHECK(file_text(here / "m") == before);
    CHECK(here.names() == std::vector<std::string>{"m"});
}

TEST_CASE("system files: temporaries that nobody writes any more are removed, and those in use stay") {
    folder const here;
    put_file(here / ".sluice-12-34.tmp", "half");
    std::filesystem::last_write_time(here / ".sluice-12-34.tmp",
                                     std::filesystem::file_time_type::clock::now() - std::chrono::minutes(2));
    put_file(here / ".sluice-notes.tmp", "of the user");
    put_file(here / std::filesystem::path(u8".sluice-1-\u00e4.tmp").string(), "of the user");
    {
        detail::temporary_file in_use(detail::find_target(here / "n"));
        safetensors::write(here / "m", archive_of(1, 3));
        CHECK(!std::filesystem::exists(here / ".sluice-12-34.tmp"));
        CHECK(here.names().size() == 4);
        in_use.append(bytes_of("whole"));
        in_use.become_target();
    }
    CHECK(file_text(here / "n") == "whole");
    CHECK(here.names().size() == 4);
}

TEST_CASE("system files: names of any characters, in folders of folders") {
    folder const here;
    auto const inner = here / std::filesystem::path(u8"a b/\u6587\u5b57 \u00e4").string();
    std::filesystem::create_directories(inner);
    for (char8_t const* const name :
         {u8"\u043c\u043e\u0434\u0435\u043b\u044c", u8"\U0001F300 +%&'(),;=@[]", u8".m"}) {
        CAPTURE(std::filesystem::path(name).string());
        safetensors::write(inner / name, archive_of(3, 2));
        safetensors::write(inner / name, archive_of(2, 7));
        CHECK(safetensors::read(inner / name).at<float>("w") == std::vector{7.f, 7.f});
    }
    CHECK(std::distance(std::filesystem::directory_iterator(inner), {}) == 3);
    std::string const said =
        sentence_of<errors::file_unreadable>([&] { safetensors::read(inner / u8"\u00f6"); });
    CHECK(contains(said, "\xC3\xB6' cannot be read: there is no such file."));
#ifdef _WIN32
    auto const turned = std::filesystem::path(inner / "turned").make_preferred();
    CHECK(contains(turned.string(), "\\"));
    safetensors::write(turned, archive_of(1, 4));
    CHECK(safetensors::read(inner / "turned").at<float>("w") == std::vector{4.f});
#endif
}

TEST_CASE("system files: a path without a folder is written where the program stands") {
    folder const here;
    auto const before = std::filesystem::current_path();
    std::filesystem::current_path(here / "");
    safetensors::write("m", archive_of(1, 2));
    archive const back = safetensors::read("m");
    std::filesystem::current_path(before);
    CHECK(back.at<float>("w") == std::vector{2.f});
}

TEST_CASE("system files: what is no place for a file is refused, and nothing is made") {
    folder const here;
    std::filesystem::create_directory(here / "folder");
    auto const refusal = [&](std::filesystem::path const& path) {
        std::string const said =
            sentence_of<errors::file_unwritable>([&] { safetensors::write(path, archive_of(1, 1)); });
        CHECK(said.ends_with("."));
        CHECK(here.names() == std::vector<std::string>{"folder"});
        return said;
    };
    CHECK(contains(refusal(""), "The path of the file to write is empty"));
    CHECK(contains(refusal(here / "new/"), "ends with a slash, so it names a folder"));
    CHECK(contains(refusal(here / "folder"), "cannot be replaced: it is a folder"));
    CHECK(contains(refusal(here / "none/m"), "cannot be written: there is no folder"));
    CHECK(contains(refusal(here / std::string("a\0b", 3)), "holds a zero byte"));
    refusal(here / std::string(300, 'n'));
    CHECK(contains(sentence_of<errors::file_unreadable>([&] { safetensors::read(here / "folder"); }),
                   "it is not a regular file."));
}

TEST_CASE("system files: a refusal reaches who asked, through every function between") {
    folder const here;
    put_file(here / "m", "short");
    CHECK_THROWS_AS(safetensors::read(here / "m"), errors::file_too_short);
    put_file(here / "m", length_text(1000) + "{}");
    CHECK_THROWS_AS(safetensors::read(here / "m"), checkpoint_error);
    put_file(here / "m", file_with("{not json}"));
    CHECK_THROWS_AS(safetensors::read(here / "m"), errors::not_json);
    safetensors::write(here / "m", archive_of(3, 1));
    archive const back = safetensors::read(here / "m");
    CHECK_THROWS_AS(back.at<double>("w"), errors::wrong_dtype);
    CHECK_THROWS_AS(back.at<float>("none"), errors::tensor_missing);
    int caught = 0;
    for (int i = 0; i < 1000; ++i)
        try {
            try {
                back.tensor("none");
            } catch (std::exception const&) {
                throw;
            }
        } catch (errors::tensor_missing const& e) {
            caught += contains(e.what(), "none");
        }
    CHECK(caught == 1000);
}

#ifndef __EMSCRIPTEN__ // which has no threads
TEST_CASE("system files: threads that write side by side do not remove each other's temporaries") {
    folder const here;
    auto const write_often = [&](float value) {
        for (int round = 0; round < 20; ++round)
            for (std::string const& name : {std::string("shared"), "own" + std::to_string(value)})
                safetensors::write(here / name, archive_of(5'000, value));
    };
    std::string lost;
    std::thread beside([&] {
        try {
            write_often(1);
        } catch (std::exception const& e) {
            lost = e.what();
        }
    });
    write_often(2);
    beside.join();
    CHECK(lost == "");
    auto const found = safetensors::read(here / "shared").at<float>("w");
    CHECK(found == std::vector(5'000, found.front()));
    CHECK(here.names().size() == 3);
}
#endif

#ifdef _WIN32
TEST_CASE("system files: a file that may not be written, or that another program reads, is kept") {
    folder const here;
    safetensors::write(here / "m", archive_of(1, 1));
    std::string const before = file_text(here / "m");
    {
        detail::input_file const reader(here / "m");
        CHECK(contains(
            sentence_of<errors::file_unwritable>([&] { safetensors::write(here / "m", archive_of(1, 2)); }),
            "What was stored under that name before is unchanged."));
    }
    using std::filesystem::perms;
    std::filesystem::permissions(here / "m", perms::owner_write | perms::group_write | perms::others_write,
                                 std::filesystem::perm_options::remove);
    CHECK(contains(
        sentence_of<errors::file_unwritable>([&] { safetensors::write(here / "m", archive_of(1, 2)); }),
        "getting permission to write to it failed"));
    CHECK(file_text(here / "m") == before);
    CHECK(here.names() == std::vector<std::string>{"m"});
    std::filesystem::permissions(here / "m", perms::owner_write, std::filesystem::perm_options::add);
    safetensors::write(here / "m", archive_of(1, 3));
    CHECK(safetensors::read(here / "m").at<float>("w") == std::vector{3.f});
}
#endif

} // namespace system_files_test
