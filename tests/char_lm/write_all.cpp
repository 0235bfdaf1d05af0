// SPDX-License-Identifier: BSL-1.0
// Writing to what takes nothing.

#include "../../apps/char_lm/write_all.hpp"
#include "../../apps/char_lm/interrupt.hpp"

#include <array>
#include <csignal>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace write_all_test {

using namespace char_lm;

// The exit code of a process that writes to a pipe and has a signal sent to it; -1 where it did not end by
// itself.
int writer(const std::array<int, 2>& pipe, std::size_t bytes) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        alarm(10);
        watch_interrupts();
        const std::error_code problem = write_all(pipe[1], std::string(bytes, 'x'));
        _exit(!problem ? 1 : problem == std::errc::operation_canceled ? 2 : 3);
    }
    usleep(300'000);
    kill(child, SIGTERM);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("write_all: one signal ends the wait for a pipe that is full") {
    for (const int flags : {0, O_NONBLOCK}) {
        std::array<int, 2> ends{};
        REQUIRE(pipe2(ends.data(), flags) == 0);
        CHECK(writer(ends, 10'000'000) == 2);
        std::array<char, 65536> block{};
        CHECK(read(ends[0], block.data(), block.size()) > 0); // there is room again
        CHECK(writer(ends, 1000) == 1);
        close(ends[0]);
        close(ends[1]);
    }
}

TEST_CASE("write_all: what fails is said at once") {
    std::array<int, 2> ends{};
    REQUIRE(pipe(ends.data()) == 0);
    close(ends[0]);
    const auto old = std::signal(SIGPIPE, SIG_IGN);
    CHECK((write_all(ends[1], "x") == std::errc::broken_pipe));
    std::signal(SIGPIPE, old);
    close(ends[1]);
    CHECK((write_all(ends[1], "x") == std::errc::bad_file_descriptor));
    CHECK(!write_all(-1, ""));
}

} // namespace write_all_test
