// SPDX-License-Identifier: BSL-1.0
#include "progress.hpp"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace recall {

namespace {

constexpr char const* start_of_line = "\r\x1b[K"; // which is then empty

bool writes_to_terminal() {
    char const* const kind = std::getenv("TERM");
    return isatty(STDOUT_FILENO) != 0 && kind != nullptr && std::string_view(kind) != "dumb";
}

std::size_t terminal_width() {
    winsize size{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ? 80 : size.ws_col;
}

} // namespace

progress::progress(std::deque<lesson> const& lessons) : lessons_(lessons), terminal_(writes_to_terminal()) {}

progress::~progress() {
    if (terminal_)
        std::cout << start_of_line << std::flush;
}

// [#####.....] 48%  recall: DeltaNet 98, GLA 41  copying: LSTM 7  0:21 left
std::string progress::words(std::size_t bar) const {
    std::size_t done = 0, all = 0;
    std::string running, task;
    for (lesson const& l : lessons_) {
        done += l.steps_done();
        all += l.steps();
        if (l.steps_done() == 0)
            continue;
        running += task == l.task_name() ? ", " : "  " + l.task_name() + ": ";
        task = l.task_name();
        running += l.learner_name() + ' ' + std::to_string(static_cast<int>(100 * l.accuracy_now() + 0.5));
    }
    double const share = static_cast<double>(done) / static_cast<double>(all);
    double const seconds = std::chrono::duration<double>(clock::now() - start_).count();
    std::string text;
    if (bar > 0) {
        auto const filled = static_cast<std::size_t>(share * static_cast<double>(bar));
        text += '[' + std::string(filled, '#') + std::string(bar - filled, '.') + "] ";
    }
    text += std::to_string(static_cast<int>(100 * share)) + '%' + running;
    if (done > 0 && done < all) {
        int const left = static_cast<int>(seconds * (1 - share) / share);
        char time[32];
        std::snprintf(time, sizeof time, "  %d:%02d left", left / 60, left % 60);
        text += time;
    }
    return text;
}

void progress::show() {
    if (terminal_) {
        std::size_t const width = terminal_width();
        std::cout << start_of_line << words(width > 90 ? 20 : 8).substr(0, width - 1) << std::flush;
    } else if (clock::now() - last_ >= std::chrono::seconds(10)) {
        last_ = clock::now();
        std::cout << words(0) << std::endl;
    }
}

} // namespace recall
