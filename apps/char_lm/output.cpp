// SPDX-License-Identifier: BSL-1.0
#include "output.hpp"

#include "../terminal_text.hpp"
#include "failure.hpp"
#include "write_all.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace char_lm {

void open_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
            open("/dev/null", O_RDWR); // takes the lowest free number, which is this one
    std::signal(SIGPIPE, SIG_IGN);     // a reader that is gone is an error like any other
}

bool output_is_terminal() {
    return isatty(STDOUT_FILENO) != 0;
}

void put(std::string_view bytes) {
    if (const std::error_code problem = write_all(STDOUT_FILENO, bytes))
        throw cannot_write("Standard output cannot be written: " + problem.message() +
                           "; make room, or send it elsewhere.");
}

void say(std::string_view line) {
    put(terminal::terminal_text(line) + '\n');
}

void complain(std::string_view sentence) {
    write_all(STDERR_FILENO, "char_lm: " + terminal::terminal_text(sentence) + '\n');
}

} // namespace char_lm
