// SPDX-License-Identifier: BSL-1.0
// How far a program is: on a terminal a bar that is redrawn in its line, elsewhere a plain line every ten
// seconds. All programs here that work long show it.
//
//     recall [#######..............]  33%  0:21 left  copying: GLA 41
//
// It has no colour and no escape sequence: it goes back to the start of its line, which every terminal can
// but one whose TERM is `dumb`, or not set.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#undef NCC // a macro of termios, and a name in the headers of xtensor-blas
#include <unistd.h>
#include <utility>

namespace terminal {

/// "1:02:03" or "2:03"; what is negative or no number is 0:00.
inline std::string clock_time(double seconds) {
    constexpr double most = 1e15; // longer than anything lasts, and well within a long long
    long long const whole = seconds > 0 ? std::llround(std::min(seconds, most)) : 0; // 0 for NaN
    char text[64];
    if (whole >= 3600)
        std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
    else
        std::snprintf(text, sizeof text, "%lld:%02lld", whole / 60, whole % 60);
    return text;
}

/// The line: what it is of, the share that is done, the seconds that are left (NaN where that is not known),
/// and words of the program's. It is cut to the columns; without any it is plain text.
inline std::string progress_line(std::string_view label, double share, double left, std::string_view words,
                                 std::size_t columns) {
    share = share > 0 ? std::min(share, 1.) : 0; // 0 for NaN
    char percent[16];
    std::snprintf(percent, sizeof percent, "%3d%%", static_cast<int>(100 * share));
    std::string facts = percent;
    if (std::isfinite(left))
        facts += "  " + clock_time(left) + " left";
    if (!words.empty())
        facts.append("  ").append(words);
    std::string line(label);
    if (columns == 0)
        return line + "  " + facts;
    std::size_t const taken = line.size() + facts.size() + 4; // blanks and brackets
    std::size_t const bar = std::clamp<std::size_t>(columns > taken ? columns - taken : 0, 10, 30);
    auto const filled = static_cast<std::size_t>(share * static_cast<double>(bar));
    line += " [" + std::string(filled, '#') + std::string(bar - filled, '.') + "] " + facts;
    if (line.size() > columns) {
        while (columns > 0 && (static_cast<unsigned char>(line[columns]) & 0xC0u) == 0x80u)
            --columns; // no character is cut in two
        line.resize(columns);
    }
    return line;
}

/// Where the bar is drawn and how: text goes there by the program's own function, which may throw.
class progress_bar {
public:
    using writer = std::function<void(std::string_view)>;

    /// On standard output or standard error. `begun` is the share that was done before.
    progress_bar(std::string label, int descriptor, writer write, double begun = 0)
        : label_(std::move(label)), descriptor_(descriptor), write_(std::move(write)), begun_(begun),
          redraws_(can_redraw(descriptor)) {}
    explicit progress_bar(std::string label)
        : progress_bar(std::move(label), STDERR_FILENO,
                       [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }) {}
    progress_bar(progress_bar const&) = delete;
    progress_bar& operator=(progress_bar const&) = delete;
    ~progress_bar() {
        try {
            erase();
        } catch (...) { // nothing more can be written
        }
    }

    /// Whether there is something to show: on a terminal ten times a second.
    bool is_due() const {
        return clock::now() - last_ >= (redraws_ ? std::chrono::milliseconds(100) : std::chrono::seconds(10));
    }
    /// What is done of all, 0 to 1, and what else the program says; nothing where that is not due.
    void show(double share, std::string_view words = {}) {
        if (is_due())
            draw(share, words);
    }
    /// As `show`, and due at once on a terminal: before a part that takes long by itself.
    void show_now(double share, std::string_view words = {}) {
        if (redraws_ || is_due())
            draw(share, words);
    }
    /// Before anything else is printed: an empty line, where the bar was.
    void erase() {
        if (std::size_t const drawn = std::exchange(drawn_, 0))
            write_('\r' + std::string(drawn, ' ') + '\r');
    }

private:
    using clock = std::chrono::steady_clock;

    static bool can_redraw(int descriptor) {
        char const* const kind = std::getenv("TERM");
        return isatty(descriptor) != 0 && kind != nullptr && *kind != '\0' &&
               std::string_view(kind) != "dumb";
    }
    std::size_t columns() const {
        winsize size{};
        return ioctl(descriptor_, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ? 80 : size.ws_col;
    }
    void draw(double share, std::string_view words) {
        last_ = clock::now();
        double const seconds = std::chrono::duration<double>(last_ - start_).count();
        double const left = share > begun_ ? seconds / (share - begun_) * (1 - share)
                                           : std::numeric_limits<double>::quiet_NaN();
        if (!redraws_) {
            write_(progress_line(label_, share, left, words, 0) + '\n');
            return;
        }
        std::string line = progress_line(label_, share, left, words, std::max<std::size_t>(columns(), 2) - 1);
        std::size_t const length = line.size();
        if (length < drawn_)
            line.append(drawn_ - length, ' '); // what was there before
        drawn_ = length;
        write_('\r' + line);
    }

    std::string label_;
    int descriptor_;
    writer write_;
    double begun_;
    bool redraws_;
    std::size_t drawn_ = 0; // bytes of what stands there
    clock::time_point start_ = clock::now(), last_ = start_;
};

} // namespace terminal
