// SPDX-License-Identifier: BSL-1.0
#include "write_all.hpp"

#include <cerrno>
#include <poll.h>
#include <unistd.h>

namespace char_lm {

std::error_code write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto written = write(descriptor, bytes.data(), bytes.size());
        if (written >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) { // somebody made the terminal or the pipe non-blocking
            pollfd ready{.fd = descriptor, .events = POLLOUT, .revents = 0};
            poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return {errno, std::generic_category()};
        }
    }
    return {};
}

} // namespace char_lm
