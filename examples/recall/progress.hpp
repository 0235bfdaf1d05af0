// SPDX-License-Identifier: BSL-1.0
// How far the lessons are: a bar that is redrawn on a terminal, or a plain line every ten seconds.
#pragma once

#include "lesson.hpp"

#include <chrono>
#include <deque>
#include <string>

namespace recall {

class progress {
public:
    explicit progress(std::deque<lesson> const& lessons);
    progress(progress const&) = delete;
    progress& operator=(progress const&) = delete;
    ~progress(); // the bar is gone

    void show();

private:
    using clock = std::chrono::steady_clock;

    std::string words(std::size_t bar) const;

    std::deque<lesson> const& lessons_;
    bool terminal_;
    clock::time_point start_ = clock::now(), last_ = start_;
};

} // namespace recall
