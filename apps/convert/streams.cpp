// SPDX-License-Identifier: BSL-1.0
#include "streams.hpp"

#include "../terminal_text.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unistd.h>

namespace convert {

void open_standard_streams() {
    for (int const stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
            open("/dev/null", O_RDONLY); // takes the lowest free number, which is this one
}

void put(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        throw std::runtime_error("standard output cannot be written (" +
                                 std::generic_category().message(errno) +
                                 "), so that what it has is not all; make room, or send it elsewhere");
}

void complain(std::string_view sentence) {
    std::string const text = "convert: " + terminal::terminal_text(sentence, "\n") + '\n';
    std::fwrite(text.data(), 1, text.size(), stderr);
}

} // namespace convert
