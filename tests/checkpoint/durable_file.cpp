// SPDX-License-Identifier: BSL-1.0
// A write that fails or is killed leaves what was there; only a kill leaves a temporary file.
#include "support.hpp"

#include <sluice/checkpoint/safetensors.hpp>

#include <csignal>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace checkpoint_test;
using namespace sluice;
namespace errors = sluice::checkpoint_errors;

namespace {

archive archive_of(std::size_t count, float value) {
    archive a;
    a.add<float>("w", std::vector<std::size_t>{count}, std::vector<float>(count, value));
    return a;
}

// A disk that is full after so many bytes of a file; writing on raises SIGXFSZ.
void limit_file_size(rlim_t bytes) {
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
}

} // namespace

TEST_CASE("writing replaces the old file and leaves nothing else") {
    folder const here;
    safetensors::write(here / "m", archive_of(3, 1));
    safetensors::write(here / "m", archive_of(2, 5));
    CHECK(safetensors::read(here / "m").at<float>("w") == std::vector{5.f, 5.f});
    CHECK(here.names() == std::vector<std::string>{"m"});
    auto const mask = ::umask(0);
    ::umask(mask);
    CHECK(std::filesystem::status(here / "m").permissions() ==
          static_cast<std::filesystem::perms>(0666 & ~static_cast<unsigned>(mask)));
}

TEST_CASE("a path without a folder is written where the program stands") {
    folder const here;
    auto const before = std::filesystem::current_path();
    std::filesystem::current_path(here / "");
    safetensors::write("m", archive_of(1, 2));
    archive const back = safetensors::read("m");
    std::filesystem::current_path(before);
    CHECK(back.at<float>("w") == std::vector{2.f});
}

TEST_CASE("a disk that is full in the middle of a write leaves the old file and no temporary") {
    folder const here;
    safetensors::write(here / "m", archive_of(3, 1));
    std::string const before = file_text(here / "m");

    archive const large = archive_of(100'000, 2);
    auto const old_handler = std::signal(SIGXFSZ, SIG_IGN);
    limit_file_size(4096);
    std::string const said = refusal<errors::file_unwritable>([&] { safetensors::write(here / "m", large); });
    limit_file_size(RLIM_INFINITY);
    std::signal(SIGXFSZ, old_handler);

    CHECK(contains(said, "writing a temporary file beside it failed"));
    CHECK(contains(said, (here / "m").string()));
    CHECK(contains(said, "What was stored under that name before is unchanged."));
    CHECK(file_text(here / "m") == before);
    CHECK(here.names() == std::vector<std::string>{"m"});
    safetensors::write(here / "m", large);
    CHECK(safetensors::read(here / "m").at<float>("w").size() == 100'000);
}

TEST_CASE("a process that is killed in the middle of a write leaves the old file") {
    folder const here;
    safetensors::write(here / "m", archive_of(3, 1));
    std::string const before = file_text(here / "m");

    pid_t const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        rlimit const no_core{0, 0};
        ::setrlimit(RLIMIT_CORE, &no_core);
        std::signal(SIGXFSZ, SIG_DFL); // the kernel kills at the limit
        limit_file_size(4096);
        try {
            safetensors::write(here / "m", archive_of(100'000, 2));
        } catch (...) { // stays in the child
        }
        ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGXFSZ);

    CHECK(file_text(here / "m") == before);
    CHECK(here.names().size() == 2); // the half-written temporary, which nobody takes for the file
    safetensors::write(here / "m", archive_of(2, 5));
    CHECK(safetensors::read(here / "m").at<float>("w") == std::vector{5.f, 5.f});
}

TEST_CASE("a target that cannot be replaced is left alone, without a temporary") {
    folder const here;
    std::filesystem::create_directory(here / "m");
    CHECK(
        contains(refusal<errors::file_unwritable>([&] { safetensors::write(here / "m", archive_of(1, 1)); }),
                 "renaming the finished temporary file to it failed"));
    CHECK(here.names() == std::vector<std::string>{"m"});
    CHECK(std::filesystem::is_directory(here / "m"));
}

TEST_CASE("a folder that cannot be written") {
    folder const here;
    CHECK(contains(
        refusal<errors::file_unwritable>([&] { safetensors::write(here / "none/m", archive_of(1, 1)); }),
        "creating a temporary file beside it failed"));
    put_file(here / "file", "text");
    CHECK(contains(
        refusal<errors::file_unwritable>([&] { safetensors::write(here / "file/m", archive_of(1, 1)); }),
        "creating a temporary file beside it failed"));
    CHECK(file_text(here / "file") == "text");

    std::filesystem::create_directory(here / "closed");
    std::filesystem::permissions(here / "closed", std::filesystem::perms::owner_read);
    if (::geteuid() != 0) // root may write anywhere
        CHECK(contains(refusal<errors::file_unwritable>(
                           [&] { safetensors::write(here / "closed/m", archive_of(1, 1)); }),
                       "creating a temporary file beside it failed"));
    std::filesystem::permissions(here / "closed", std::filesystem::perms::owner_all);
}

TEST_CASE("a temporary that a dead process left does not stand in the way") {
    folder const here;
    for (int number = 0; number < 200; ++number)
        put_file(here / (".sluice-" + std::to_string(::getpid()) + "-" + std::to_string(number) + ".tmp"),
                 "half");
    safetensors::write(here / "m", archive_of(1, 3));
    CHECK(safetensors::read(here / "m").at<float>("w") == std::vector{3.f});
    CHECK(here.names().size() == 201);
}
