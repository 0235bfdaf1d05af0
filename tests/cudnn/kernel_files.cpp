// SPDX-License-Identifier: BSL-1.0
// Compiled kernels on the disk.
#include <checkpoint/support.hpp>
#include <csignal>
#include <doctest/doctest.h>
#include <sluice/cudnn/runtime/kernel_files.hpp>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace kernel_files_test {

namespace {

namespace fs = std::filesystem;
using sluice::cudnn::kernel_files;

std::string read(fs::path const& name) {
    std::ifstream file(name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
void write(fs::path const& name, std::string const& bytes) {
    std::ofstream(name, std::ios::binary | std::ios::trunc) << bytes;
}
std::size_t files_in(fs::path const& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

} // namespace

TEST_CASE("kernel files: a kernel is found again by what it was compiled from") {
    checkpoint_test::folder const here;
    kernel_files const files(here / "cache" / "kernels");
    CHECK(!files.find("a text"));
    std::string const code("machine\0code", 12);
    files.keep("a text", code);
    CHECK(files.find("a text") == code);
    CHECK(!files.find("another text"));
    CHECK(kernel_files(here / "cache" / "kernels").find("a text") == code);
    files.keep("a text", "newer");
    CHECK(files.find("a text") == "newer");
    files.keep("empty", "");
    CHECK(files.find("empty") == "");
    CHECK(files_in(here / "cache" / "kernels") == 2); // nothing but the kernels is left
}

TEST_CASE("kernel files: what is not whole, or another's, is not used, and is replaced") {
    checkpoint_test::folder const here;
    kernel_files const files(here / "kernels");
    files.keep("a text", "machine code");
    fs::path const name = files.path_of("a text");
    std::string const whole = read(name);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        write(name, whole.substr(0, size));
        CHECK(!files.find("a text"));
    }
    for (std::size_t i = 0; i < whole.size(); ++i) {
        std::string changed = whole;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        write(name, changed);
        CHECK(!files.find("a text"));
    }
    write(name, whole + "x");
    CHECK(!files.find("a text"));
    files.keep("another text", "other code"); // as if their hashes were one
    fs::copy_file(files.path_of("another text"), name, fs::copy_options::overwrite_existing);
    CHECK(!files.find("a text"));
    files.keep("a text", "machine code");
    CHECK(files.find("a text") == "machine code");

    fs::permissions(name, fs::perms::others_write, fs::perm_options::add);
    CHECK(!files.find("a text"));
    fs::remove(name);
    write(here / "elsewhere", whole);
    fs::create_symlink(here / "elsewhere", name);
    CHECK(!files.find("a text"));
    fs::remove(name);
    fs::create_directory(name);
    CHECK(!files.find("a text"));
    CHECK_NOTHROW(files.keep("a text", "machine code"));
    CHECK(files_in(here / "kernels") == 2);
}

TEST_CASE("kernel files: where nothing can be written, nothing is kept, and nothing is thrown") {
    checkpoint_test::folder const here;
    write(here / "file", "");
    kernel_files const files(here / "file" / "kernels");
    CHECK_NOTHROW(files.keep("a text", "machine code"));
    CHECK(!files.find("a text"));
    kernel_files const off{fs::path()};
    CHECK(off.is_off());
    CHECK_NOTHROW(off.keep("a text", "machine code"));
    CHECK(!off.find("a text"));
    fs::create_directory(here / "open");
    fs::permissions(here / "open", fs::perms::all);
    kernel_files const open(here / "open");
    open.keep("a text", "machine code"); // a folder in which others may put files is not used
    CHECK(!open.find("a text"));
    CHECK(files_in(here / "open") == 0);
}

TEST_CASE("kernel cache: whatever the umask, what is kept is the user's own, and is found again") {
    for (mode_t const mask : {0u, 002u, 022u, 077u}) {
        CAPTURE(mask);
        checkpoint_test::folder const here;
        auto const mode_of = [](fs::path const& name) {
            return static_cast<unsigned>(fs::status(name).permissions());
        };
        mode_t const before = ::umask(mask);
        kernel_files const files(here / "new" / "sluice" / "kernels");
        files.keep("a text", "machine code");
        ::umask(before);
        CHECK(files.find("a text") == "machine code");
        CHECK(mode_of(files.path_of("a text")) == 0600);
        for (char const* folder : {"new", "new/sluice", "new/sluice/kernels"})
            CHECK(mode_of(here / folder) == 0700);

        fs::permissions(files.path_of("a text"), fs::perms(0666)); // as an earlier version left it
        CHECK(!files.find("a text"));
        files.keep("a text", "machine code");
        CHECK(files.find("a text") == "machine code");
    }
}

TEST_CASE("kernel cache: a link is no folder, with whatever it ends, and no file") {
    checkpoint_test::folder const here;
    kernel_files(here / "real").keep("a text", "machine code");
    fs::create_directory_symlink("real", here / "link");
    for (char const* ending : {"", "/", "//", "/.", "/./"}) {
        CAPTURE(ending);
        kernel_files const files(here / ("link" + std::string(ending)));
        CHECK(!files.find("a text"));
        files.keep("another text", "machine code");
        CHECK(files_in(here / "real") == 1);
        CHECK(kernel_files(here / ("real" + std::string(ending))).find("a text") == "machine code");
    }
    for (char const* named : {".", "./", "/", "/."})
        CHECK(!kernel_files(named).is_off());
    kernel_files const files(here / "real");
    write(here / "elsewhere", "text");
    fs::create_symlink(here / "elsewhere", files.path_of("a third text"));
    files.keep("a third text", "machine code"); // in the link's place
    CHECK(files.find("a third text") == "machine code");
    CHECK(read(here / "elsewhere") == "text");
    fs::remove(files.path_of("a text"));
    REQUIRE(::mkfifo(files.path_of("a text").c_str(), 0600) == 0);
    CHECK(!files.find("a text")); // which waits for nothing
    files.keep("a text", "machine code");
    CHECK(files.find("a text") == "machine code");
}

TEST_CASE("kernel cache: kills leave one temporary at most, and what is kept next removes it") {
    checkpoint_test::folder const here;
    kernel_files const files(here / "kernels");
    std::string const code(300'000, 'x');
    files.keep("a text", code);
    for (int kill = 0; kill < 30; ++kill) {
        pid_t const child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0)
            for (;;)
                files.keep("a text", code);
        ::usleep(static_cast<useconds_t>(kill * 677 % 5000));
        ::kill(child, SIGKILL);
        REQUIRE(::waitpid(child, nullptr, 0) == child);
        CHECK(files_in(here / "kernels") <= 2);
        CHECK(files.find("a text") == code);
    }
    files.keep("a text", code);
    CHECK(files_in(here / "kernels") == 1);
}

TEST_CASE("kernel cache: a limit on the size of files is no end of the program") {
    checkpoint_test::folder const here;
    kernel_files const files(here / "kernels");
    pid_t const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        rlimit const limit{4096, 4096};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        files.keep("a text", std::string(10'000, 'x')); // SIGXFSZ would end it
        ::_exit(files.find("a text") ? 1 : 0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    CHECK(files_in(here / "kernels") == 0);
}

TEST_CASE("kernel files: threads write the same kernel at the same time") {
    checkpoint_test::folder const here;
    kernel_files const files(here / "kernels");
    std::vector<std::thread> all;
    std::atomic<int> wrong = 0;
    for (int i = 0; i < 4; ++i)
        all.emplace_back([&] {
            for (int k = 0; k < 50; ++k) {
                files.keep("a text", std::string(5000, 'x'));
                if (files.find("a text") != std::string(5000, 'x'))
                    ++wrong;
            }
        });
    for (std::thread& one : all)
        one.join();
    CHECK(wrong == 0);
    CHECK(files_in(here / "kernels") == 1);
}

TEST_CASE("kernel files: the environment says where") {
    checkpoint_test::folder const here;
    auto const chosen = [] { return kernel_files().path_of("a text").parent_path(); };
    auto const put_back = [](char const* name) {
        char const* const value = std::getenv(name);
        return std::pair(name, value == nullptr ? std::string() : std::string(value));
    };
    std::vector const before{put_back("SLUICE_KERNEL_CACHE"), put_back("XDG_CACHE_HOME"), put_back("HOME")};
    ::setenv("SLUICE_KERNEL_CACHE", (here / "asked").c_str(), 1);
    CHECK(chosen() == here / "asked");
    ::setenv("SLUICE_KERNEL_CACHE", "off", 1);
    CHECK(kernel_files().is_off());
    ::unsetenv("SLUICE_KERNEL_CACHE");
    ::setenv("XDG_CACHE_HOME", "/cache", 1);
    CHECK(chosen() == "/cache/sluice/kernels");
    ::setenv("XDG_CACHE_HOME", "not/absolute", 1); // of no meaning, says the standard of those folders
    ::setenv("HOME", "/home/user", 1);
    CHECK(chosen() == "/home/user/.cache/sluice/kernels");
    ::unsetenv("HOME");
    CHECK(kernel_files().is_off());
    for (auto const& [name, value] : before)
        if (value.empty())
            ::unsetenv(name);
        else
            ::setenv(name, value.c_str(), 1);
}

} // namespace kernel_files_test
