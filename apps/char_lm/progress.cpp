// SPDX-License-Identifier: BSL-1.0
#include "progress.hpp"

#include "output.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace char_lm {

namespace {

constexpr const char* no_bar = "\r\x1b[K";

bool writes_to_terminal() {
    const char* kind = std::getenv("TERM");
    return output_is_terminal() && kind != nullptr && std::string_view(kind) != "dumb";
}

std::size_t terminal_width() {
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col;
}

std::string with_digits(double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

} // namespace

std::string clock_time(double seconds) {
    constexpr double most = 1e15; // longer than anything lasts, and well within a long long
    const long long whole = seconds > 0 ? std::llround(std::min(seconds, most)) : 0; // 0 for NaN
    char text[64];
    if (whole >= 3600)
        std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
    else
        std::snprintf(text, sizeof text, "%lld:%02lld", whole / 60, whole % 60);
    return text;
}

progress::progress(std::string label) : label_(std::move(label)), terminal_(writes_to_terminal()) {}

std::string progress::facts_in_words(const progress_facts& facts, std::size_t width) const {
    const double seconds = std::chrono::duration<double>(clock::now() - start_).count();
    const double share =
        facts.total == 0 ? 1 : static_cast<double>(facts.done) / static_cast<double>(facts.total);
    const auto made = static_cast<double>(facts.done - facts.begun);
    std::string words = with_digits(100 * share, 0) + "%";
    if (seconds > 0)
        words += "  " + with_digits(static_cast<double>(facts.characters) / seconds / 1000, 1) + "k chars/s";
    if (facts.training > 0)
        words += "  train " + with_digits(facts.training, 3);
    if (facts.validation > 0)
        words += "  valid " + with_digits(facts.validation, 3);
    if (facts.training > 0)
        words += " bits/char";
    if (made > 0)
        words += "  " + clock_time(seconds / made * static_cast<double>(facts.total - facts.done)) + " left";

    // the bar has what room is left
    const std::size_t taken = label_.size() + words.size() + 5;
    if (width < taken + 5)
        return label_ + "  " + words;
    const std::size_t bar = std::min<std::size_t>(width - taken, 30);
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(bar));
    return label_ + " [" + std::string(filled, '#') + std::string(bar - filled, '.') + "] " + words;
}

void progress::erase() {
    if (std::exchange(drawn_, false))
        put(no_bar);
}

void progress::show(const progress_facts& facts) {
    const auto now = clock::now();
    const auto pause = terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10'000);
    if (now - last_ < pause)
        return;
    last_ = now;
    if (terminal_) {
        const std::size_t width = terminal_width();
        std::string text = facts_in_words(facts, width);
        text.resize(std::min(text.size(), width - 1));
        put('\r' + text + "\x1b[K");
        drawn_ = true;
    } else {
        say(facts_in_words(facts, 0));
    }
}

void progress::line(std::string_view text) {
    erase();
    say(text);
}

progress::~progress() {
    if (drawn_)
        try_put(no_bar);
}

} // namespace char_lm
