// SPDX-License-Identifier: BSL-1.0
#include "write_all.hpp"

#include "interrupt.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <poll.h>
#include <unistd.h>

namespace char_lm {

namespace {

// A write of so many bytes does not wait where poll says that there is room.
constexpr std::size_t most_at_once = PIPE_BUF;
constexpr int milliseconds = 100; // between two looks at whether the program is to stop
constexpr int most_looks = 10;    // and how often after that it waits for room

} // namespace

std::error_code write_all(int descriptor, std::string_view bytes) {
    int looks = 0;
    while (!bytes.empty()) {
        pollfd room{.fd = descriptor, .events = POLLOUT, .revents = 0};
        if (poll(&room, 1, milliseconds) <= 0) {
            if (interrupted() && ++looks > most_looks)
                return make_error_code(std::errc::operation_canceled);
            continue;
        }
        const auto written = write(descriptor, bytes.data(), std::min(bytes.size(), most_at_once));
        if (written >= 0)
            bytes.remove_prefix(static_cast<std::size_t>(written));
        else if (errno != EAGAIN && errno != EINTR)
            return {errno, std::generic_category()};
    }
    return {};
}

} // namespace char_lm
