// SPDX-License-Identifier: BSL-1.0
#include "command.hpp"

#include "descriptor.hpp"
#include "interrupt.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace char_lm {

namespace {

constexpr int milliseconds = 100; // between two looks at whether the program is to stop

// The shell, in a process group of its own, so that all that it started can be ended. 0 where it cannot be
// started.
pid_t start(const std::string& shell_command, int input, int output) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    if (input >= 0)
        posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    else
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
    std::array<std::string, 3> words{"sh", "-c", shell_command};
    std::array<char*, 4> pointers{words[0].data(), words[1].data(), words[2].data(), nullptr};
    pid_t id = 0;
    if (posix_spawn(&id, "/bin/sh", &files, &how, pointers.data(), environ) != 0)
        id = 0;
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return id;
}

} // namespace

std::string shell_word(const std::string& word) {
    std::string result = "'";
    for (const char c : word) {
        if (c == '\'')
            result += "'\\''";
        else
            result += c;
    }
    return result + "'";
}

std::string output_of(const std::string& shell_command, int input) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        return {};
    const descriptor from(ends[0]);
    descriptor to(ends[1]);
    const pid_t id = start(shell_command, input, to.number());
    to = descriptor(); // the end of what the shell writes is the end of the pipe
    if (id == 0)
        return {};
    std::string result;
    std::array<char, 4096> block{};
    for (;;) {
        if (interrupted()) {
            kill(-id, SIGKILL);
            result.clear();
            break;
        }
        pollfd ready{.fd = from.number(), .events = POLLIN, .revents = 0};
        if (poll(&ready, 1, milliseconds) <= 0)
            continue;
        const auto count = read(from.number(), block.data(), block.size());
        if (count > 0)
            result.append(block.data(), static_cast<std::size_t>(count));
        else if (count == 0 || errno != EINTR)
            break;
    }
    while (waitpid(id, nullptr, 0) < 0 && errno == EINTR) {
    }
    return result;
}

} // namespace char_lm
