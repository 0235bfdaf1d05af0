// SPDX-License-Identifier: BSL-1.0
// What is no regular file is refused, and not waited for.

#include "../../apps/char_lm/text_file.hpp"
#include "../../apps/char_lm/failure.hpp"

#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace text_file_test {

using namespace char_lm;

// Whether it is refused, in a process that is ended where it waits.
bool is_refused(const std::filesystem::path& path) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        alarm(5);
        try {
            read_text(path, 1000);
        } catch (const bad_call&) {
            _exit(0);
        }
        _exit(1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_CASE("text_file: a FIFO, a folder and a device are refused, and not waited for") {
    std::string folder = (std::filesystem::temp_directory_path() / "char_lm-XXXXXX").string();
    REQUIRE(mkdtemp(folder.data()) != nullptr);
    const std::filesystem::path fifo = std::filesystem::path(folder) / "fifo";
    REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
    CHECK(is_refused(fifo));
    CHECK(is_refused(folder));
    CHECK(is_refused("/dev/zero"));
    CHECK(is_refused(folder + "/none"));
    std::filesystem::remove_all(folder);
}

} // namespace text_file_test
