// SPDX-License-Identifier: BSL-1.0
#include "progress.hpp"

#include "output.hpp"

#include <cstdio>
#include <unistd.h>
#include <utility>

namespace char_lm {

namespace {

std::string with_digits(double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

} // namespace

progress::progress(std::string label, double begun) : bar_(std::move(label), STDOUT_FILENO, put, begun) {}

void progress::show(const progress_facts& facts) {
    if (!bar_.is_due())
        return;
    const double seconds = std::chrono::duration<double>(clock::now() - start_).count();
    std::string words = with_digits(static_cast<double>(facts.characters) / seconds / 1000, 1) + "k chars/s";
    if (facts.training > 0)
        words += "  train " + with_digits(facts.training, 3);
    if (facts.validation > 0)
        words += "  valid " + with_digits(facts.validation, 3);
    if (facts.training > 0)
        words += " bits/char";
    bar_.show(static_cast<double>(facts.done) / static_cast<double>(facts.total), words);
}

void progress::line(std::string_view text) {
    bar_.erase();
    say(text);
}

terminal::progress_bar bar_of(std::string label) {
    return {std::move(label), STDOUT_FILENO, put};
}

} // namespace char_lm
