// SPDX-License-Identifier: BSL-1.0
#pragma once

// One line about how far a training is: a bar that is redrawn on a terminal, or a plain line now and then.

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace char_lm {

struct progress_facts {
    std::size_t done = 0, total = 0;     // steps
    std::size_t characters = 0;          // since this run of the program began
    double training = 0, validation = 0; // bits per character; 0: not known yet
    std::size_t begun = 0;               // steps that earlier runs had done
};

// "1:02:03" or "2:03"; what is negative or no number is 0:00.
std::string clock_time(double seconds);

class progress {
public:
    explicit progress(std::string label);
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress(); // the bar is gone

    void show(const progress_facts& facts); // at most ten times a second; every ten seconds as plain text
    void line(std::string_view text);       // a line of its own, above the bar

private:
    using clock = std::chrono::steady_clock;

    std::string facts_in_words(const progress_facts& facts, std::size_t width) const;
    void erase();

    std::string label_;
    bool terminal_;
    bool drawn_ = false;
    clock::time_point start_ = clock::now(), last_ = clock::now();
};

} // namespace char_lm
