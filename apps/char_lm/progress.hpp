// SPDX-License-Identifier: BSL-1.0
#pragma once

// How far a training is, in a bar on a terminal and in plain lines elsewhere.

#include "../progress_bar.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace char_lm {

struct progress_facts {
    std::size_t done = 0, total = 0;     // steps
    std::size_t characters = 0;          // since this run of the program began
    double training = 0, validation = 0; // bits per character; 0: not known yet
};

class progress {
public:
    progress(std::string label, double begun); // the share that earlier runs had done

    void show(const progress_facts& facts);
    void line(std::string_view text); // a line of its own, above the bar

private:
    using clock = std::chrono::steady_clock;

    terminal::progress_bar bar_;
    clock::time_point start_ = clock::now();
};

// A bar on standard output for what a program does once it has learnt.
terminal::progress_bar bar_of(std::string label);

} // namespace char_lm
