// SPDX-License-Identifier: BSL-1.0
// A write that fails or is killed leaves what was there; only a kill leaves a temporary file, and the next
// write into the same folder removes it.
#include "support.hpp"

#include <sluice/checkpoint/formats/safetensors.hpp>

#include <algorithm>
#include <csignal>
#include <grp.h>
#include <random>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace durable_file_test {

using namespace checkpoint_test;
using namespace sluice;
namespace errors = sluice::checkpoint_errors;

namespace {

archive archive_of(std::size_t count, float value) {
    archive a;
    a.add<float>("w", std::vector<std::size_t>{count}, std::vector<float>(count, value));
    return a;
}

void limit_file_size(rlim_t bytes) {
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
}

struct stat facts_of(std::filesystem::path const& path) {
    struct stat found {};
    REQUIRE(::lstat(path.c_str(), &found) == 0);
    return found;
}

std::vector<std::string> sorted_names(folder const& here) {
    auto names = here.names();
    std::sort(names.begin(), names.end());
    return names;
}

// What the call returns in a process of its own, whose rights and mounts it may change; -1 when it crashed.
template <class Call>
int in_a_child(Call call) {
    pid_t const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        try {
            ::_exit(call());
        } catch (...) {
            ::_exit(100);
        }
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A save that is refused with such a sentence, and leaves no temporary.
void refuses(folder const& here, std::string const& name, std::string const& sentence) {
    auto const names = here.names();
    std::string const said =
        sentence_of<errors::file_unwritable>([&] { safetensors::write(here / name, archive_of(1, 1)); });
    CAPTURE(said);
    CHECK(contains(said, sentence));
    CHECK(contains(said, (here / name).string()));
    CHECK(said.ends_with("."));
    CHECK(here.names() == names);
}

} // namespace

TEST_CASE("durable file: writing replaces the old file and leaves nothing else") {
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

TEST_CASE("durable file: a disk that is full in the middle of a write leaves the old file and no temporary") {
    folder const here;
    int const outcome = in_a_child([&] {
        if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            ::mount("none", (here / "").c_str(), "tmpfs", 0, "size=64k") != 0)
            return 1; // only root may mount
        safetensors::write(here / "m", archive_of(3, 1));
        std::string const before = file_text(here / "m");
        try {
            safetensors::write(here / "m", archive_of(100'000, 2));
            return 2;
        } catch (errors::file_unwritable const& caught) {
            if (!contains(caught.what(),
                          "writing a temporary file beside it failed (No space left on device)."
                          " What was stored under that name before is unchanged."))
                return 3;
        }
        return file_text(here / "m") == before && here.names() == std::vector<std::string>{"m"} ? 0 : 4;
    });
    if (outcome == 1)
        MESSAGE("not tested: this user may not mount");
    else
        CHECK(outcome == 0);
}

TEST_CASE("durable file: a file that would be larger than the process may write is refused, not the end of "
          "the process") {
    folder const here;
    safetensors::write(here / "m", archive_of(3, 1));
    std::string const before = file_text(here / "m");
    auto const size = safetensors::serialise(archive_of(2000, 2)).size();
    int const outcome = in_a_child([&] { // SIGXFSZ would end it
        limit_file_size(size - 1);
        std::string const said = sentence_of<errors::file_unwritable>(
            [&] { safetensors::write(here / "m", archive_of(2000, 2)); });
        if (!contains(said, "would have " + std::to_string(size) + " bytes, and this process may write " +
                                std::to_string(size - 1) + " to a file; raise the limit"))
            return 1;
        if (file_text(here / "m") != before || here.names() != std::vector<std::string>{"m"})
            return 2;
        limit_file_size(size);
        safetensors::write(here / "m", archive_of(2000, 2));
        return 0;
    });
    CHECK(outcome == 0);
    CHECK(safetensors::read(here / "m").at<float>("w").size() == 2000);
}

TEST_CASE("durable file: a write that fails in the middle leaves the old file and no temporary") {
    folder const here;
    safetensors::write(here / "m", archive_of(3, 1));
    std::string const before = file_text(here / "m");
    auto const old_handler = std::signal(SIGXFSZ, SIG_IGN);
    limit_file_size(4096);
    std::string const said = sentence_of<errors::file_unwritable>([&] {
        detail::temporary_file file(detail::find_target(here / "m"));
        file.append(std::vector<std::byte>(10'000));
    });
    limit_file_size(RLIM_INFINITY);
    std::signal(SIGXFSZ, old_handler);
    CHECK(contains(said, "writing a temporary file beside it failed"));
    CHECK(contains(said, (here / "m").string()));
    CHECK(contains(said, "What was stored under that name before is unchanged."));
    CHECK(file_text(here / "m") == before);
    CHECK(here.names() == std::vector<std::string>{"m"});
}

TEST_CASE("durable file: a process that is killed in the middle of a write leaves the old file") {
    folder const here;
    safetensors::write(here / "m", archive_of(3, 1));
    std::string const before = file_text(here / "m");
    int const outcome = in_a_child([&] {
        detail::temporary_file file(detail::find_target(here / "m"));
        file.append(std::vector<std::byte>(10'000));
        return std::raise(SIGKILL);
    });
    CHECK(outcome == -1);
    CHECK(file_text(here / "m") == before);
    CHECK(here.names().size() == 2); // the half-written temporary, which nothing takes for the file
    safetensors::write(here / "another", archive_of(2, 5));
    CHECK(sorted_names(here) == std::vector<std::string>{"another", "m"});
}

TEST_CASE("saving: kills at any moment leave one temporary at most, and the next write leaves none") {
    folder const here;
    archive const first = archive_of(300'000, 1), second = archive_of(300'000, 2);
    safetensors::write(here / "m", first);
    std::mt19937 random(7);
    for (int kill = 0; kill < 60; ++kill) {
        pid_t const child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0)
            for (;;) {
                safetensors::write(here / "m", first);
                safetensors::write(here / "m", second);
            }
        ::usleep(static_cast<useconds_t>(random() % 6000));
        ::kill(child, SIGKILL);
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        CHECK(here.names().size() <= 2);
        auto const found = safetensors::read(here / "m").at<float>("w");
        CHECK(found == std::vector(300'000, found.front()));
    }
    safetensors::write(here / "m", second);
    CHECK(here.names() == std::vector<std::string>{"m"});
}

TEST_CASE("saving: processes and threads that write side by side do not remove each other's temporaries") {
    folder const here;
    auto const write_often = [&](float value) {
        for (int round = 0; round < 40; ++round)
            for (std::string const& name : {std::string("shared"), "own" + std::to_string(value)})
                safetensors::write(here / name, archive_of(5'000, value));
    };
    std::vector<pid_t> children;
    for (int process = 0; process < 3; ++process) {
        children.push_back(::fork());
        REQUIRE(children.back() >= 0);
        if (children.back() == 0)
            try {
                std::thread beside([&] { write_often(static_cast<float>(10 + process)); });
                write_often(static_cast<float>(process));
                beside.join();
                ::_exit(0);
            } catch (...) {
                ::_exit(1);
            }
    }
    for (pid_t const child : children) {
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    }
    auto const found = safetensors::read(here / "shared").at<float>("w");
    CHECK(found == std::vector(5'000, found.front()));
    CHECK(here.names().size() == 7); // the shared one, and six of one thread each
}

TEST_CASE("saving: only an abandoned temporary is removed, and nothing that looks like one") {
    folder const here;
    put_file(here / ".sluice-12-34.tmp", "half");
    std::vector<std::string> const others{".sluice-12-34.tmp2", ".sluice-12.tmp",    ".sluice--1.tmp",
                                          ".sluice-notes.tmp",  "sluice-12-34.tmp",  ".sluice-12-x.tmp",
                                          ".sluice-12-3-4.tmp", "x.sluice-12-3.tmp", ".sluice-1-.tmp"};
    for (std::string const& name : others)
        put_file(here / name, "of the user");
    std::filesystem::create_directory(here / ".sluice-1-1.tmp");
    REQUIRE(::mkfifo((here / ".sluice-1-2.tmp").c_str(), 0600) == 0);
    put_file(here / "elsewhere", "text");
    std::filesystem::create_symlink("elsewhere", here / ".sluice-1-3.tmp");
    {
        detail::temporary_file const in_use(detail::find_target(here / "n"));
        safetensors::write(here / "m", archive_of(1, 3));
        CHECK(!std::filesystem::exists(here / ".sluice-12-34.tmp"));
        CHECK(here.names().size() == others.size() + 6); // three odd ones, elsewhere, m, and the one in use
    }
    for (std::string const& name : others)
        CHECK(file_text(here / name) == "of the user");
    CHECK(file_text(here / ".sluice-1-3.tmp") == "text");
    CHECK(here.names().size() == others.size() + 5);
}

TEST_CASE("saving: a path that cannot be a file's is refused before anything is made") {
    folder const here;
    auto const refusal = [&](std::filesystem::path const& path) {
        auto const names = here.names();
        std::string const said = sentence_of<errors::file_unwritable>([&] { detail::find_target(path); });
        CHECK(said.ends_with("."));
        CHECK(here.names() == names);
        return said;
    };
    put_file(here / "file", "text");
    std::filesystem::create_symlink("new/", here / "link");
    CHECK(contains(refusal(""), "The path of the file to write is empty; give a file's name."));
    CHECK(contains(refusal(here / "new/"),
                   "new/' ends with a slash, so it names a folder; give a file's name."));
    CHECK(contains(refusal(here / "file/"), "file/' ends with a slash"));
    CHECK(contains(refusal(here / "link"), "new/') ends with a slash"));
    CHECK(contains(refusal(here / "."), "it is a folder"));
    CHECK(contains(refusal(here / ".."), "it is a folder"));
    CHECK(contains(refusal(here / std::string(300, 'n')), "looking at it failed (File name too long)"));
    CHECK(contains(refusal(here / "file/m"), "looking at it failed (Not a directory)"));
    CHECK(contains(refusal(here / "none/m"), "cannot be written: there is no folder"));
    CHECK(contains(refusal(here / std::string("a\0b", 3)), "holds a zero byte"));
    CHECK(file_text(here / "file") == "text");
}

TEST_CASE("durable file: only a regular file is replaced; a folder, FIFO, socket or device stays as it is") {
    folder const here;
    std::filesystem::create_directory(here / "folder");
    put_file(here / "folder/file", "text");
    refuses(here, "folder", "cannot be replaced: it is a folder, and only a regular file is.");
    CHECK(file_text(here / "folder/file") == "text");

    REQUIRE(::mkfifo((here / "fifo").c_str(), 0600) == 0);
    refuses(here, "fifo", "it is a FIFO");
    CHECK(S_ISFIFO(facts_of(here / "fifo").st_mode));

    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (here / "socket").string().copy(address.sun_path, sizeof address.sun_path - 1);
    int const socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(::bind(socket, reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0);
    refuses(here, "socket", "it is a socket");
    CHECK(S_ISSOCK(facts_of(here / "socket").st_mode));
    ::close(socket);

    std::filesystem::create_symlink("/dev/null", here / "null");
    refuses(here, "null", "(a symbolic link to '/dev/null') cannot be replaced: it is a device");
    std::filesystem::create_symlink("folder", here / "to folder");
    refuses(here, "to folder", "folder') cannot be replaced: it is a folder");
    CHECK(file_text(here / "to folder/file") == "text");
}

TEST_CASE("durable file: a symbolic link stays, and the file that it leads to is replaced or made") {
    folder const here;
    std::filesystem::create_directories(here / "far/away");
    safetensors::write(here / "far/away/m", archive_of(1, 1));
    std::filesystem::create_directory_symlink("far/away", here / "near");
    std::filesystem::create_symlink("near/m", here / "relative");
    std::filesystem::create_symlink(here / "relative", here / "chain");
    std::filesystem::create_symlink("near/../new", here / "dangling"); // far/new
    safetensors::write(here / "chain", archive_of(1, 2));
    CHECK(safetensors::read(here / "far/away/m").at<float>("w") == std::vector{2.f});
    safetensors::write(here / "dangling", archive_of(1, 3));
    CHECK(safetensors::read(here / "far/new").at<float>("w") == std::vector{3.f});
    for (char const* link : {"near", "relative", "chain", "dangling"})
        CHECK(std::filesystem::is_symlink(here / link));
    CHECK(here.names().size() == 5);

    std::filesystem::create_symlink("none/m", here / "to nowhere");
    refuses(here, "to nowhere", "none/m') cannot be written: there is no folder");
    std::filesystem::create_symlink("b", here / "a");
    std::filesystem::create_symlink("a", here / "b");
    refuses(here, "a", "following its symbolic links failed");
}

TEST_CASE("durable file: the mode of a replaced file is kept, and its temporary is the writer's alone") {
    folder const here;
    auto const mask = ::umask(0022);
    for (unsigned const mode : {0600u, 0640u, 0664u, 0777u, 0200u}) {
        safetensors::write(here / "m", archive_of(1, 1));
        REQUIRE(::chmod((here / "m").c_str(), mode) == 0);
        {
            detail::temporary_file const file(detail::find_target(here / "m"));
            for (std::string const& name : here.names())
                if (name != "m")
                    CHECK((facts_of(here / name).st_mode & 07777) == 0600);
        }
        safetensors::write(here / "m", archive_of(1, 2));
        CHECK((facts_of(here / "m").st_mode & 07777) == mode);
        std::filesystem::remove(here / "m");
    }
    ::umask(mask);
}

TEST_CASE("durable file: owner and group of a replaced file are kept where that is allowed") {
    if (::geteuid() != 0) {
        MESSAGE("not tested: only root may give files away");
        return;
    }
    folder const here;
    safetensors::write(here / "m", archive_of(1, 1));
    REQUIRE(::chown((here / "m").c_str(), 1234, 2345) == 0);
    REQUIRE(::chmod((here / "m").c_str(), 0664) == 0);
    safetensors::write(here / "m", archive_of(1, 2));
    CHECK(facts_of(here / "m").st_uid == 1234);
    CHECK(facts_of(here / "m").st_gid == 2345);
    CHECK((facts_of(here / "m").st_mode & 07777) == 0664);

    // another user of an open folder: what the group may do is not handed to that user's group
    std::filesystem::permissions(here / "", std::filesystem::perms::all);
    REQUIRE(::chmod((here / "m").c_str(), 0662) == 0);
    auto const as_another = [&](auto call) {
        return in_a_child([&] {
            if (::setgroups(0, nullptr) != 0 || ::setgid(3456) != 0 || ::setuid(4567) != 0)
                return 50;
            return call();
        });
    };
    CHECK(as_another([&] {
              safetensors::write(here / "m", archive_of(1, 3));
              return 0;
          }) == 0);
    CHECK(facts_of(here / "m").st_uid == 4567);
    CHECK(facts_of(here / "m").st_gid == 3456);
    CHECK((facts_of(here / "m").st_mode & 07777) == 0622);

    // a file that may not be written is not replaced, although its folder would allow it
    REQUIRE(::chmod((here / "m").c_str(), 0444) == 0);
    std::string const before = file_text(here / "m");
    CHECK(as_another([&] {
              try {
                  safetensors::write(here / "m", archive_of(1, 4));
                  return 1;
              } catch (errors::file_unwritable const& caught) {
                  return contains(caught.what(),
                                  "getting permission to write to it failed (Permission denied)")
                             ? 0
                             : 2;
              }
          }) == 0);
    CHECK(file_text(here / "m") == before);
    CHECK(here.names() == std::vector<std::string>{"m"});
}

TEST_CASE("durable file: a folder that cannot be written") {
    if (::geteuid() == 0) {
        MESSAGE("not tested: root may write anywhere");
        return;
    }
    folder const here;
    std::filesystem::create_directory(here / "closed");
    std::filesystem::permissions(here / "closed",
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    CHECK(contains(sentence_of<errors::file_unwritable>(
                       [&] { safetensors::write(here / "closed/m", archive_of(1, 1)); }),
                   "creating a temporary file beside it failed"));
    std::filesystem::permissions(here / "closed", std::filesystem::perms::owner_all);
}

TEST_CASE("saving: temporaries that dead processes left are removed, also those of this process's number") {
    folder const here;
    for (int number = 0; number < 200; ++number)
        put_file(here / (".sluice-" + std::to_string(::getpid()) + "-" + std::to_string(number) + ".tmp"),
                 "half");
    safetensors::write(here / "m", archive_of(1, 3));
    CHECK(safetensors::read(here / "m").at<float>("w") == std::vector{3.f});
    CHECK(here.names() == std::vector<std::string>{"m"});
}

} // namespace durable_file_test
