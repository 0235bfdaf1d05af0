// SPDX-License-Identifier: BSL-1.0
// How far the lessons are, in a bar.
#pragma once

#include "../../apps/progress_bar.hpp"
#include "lesson.hpp"

#include <deque>

namespace recall {

class progress {
public:
    explicit progress(std::deque<lesson> const& lessons);

    void show();

private:
    std::deque<lesson> const& lessons_;
    terminal::progress_bar bar_;
};

} // namespace recall
