// SPDX-License-Identifier: BSL-1.0
#include "progress.hpp"

#include <iostream>
#include <string>
#include <string_view>
#include <unistd.h>

namespace recall {

progress::progress(std::deque<lesson> const& lessons)
    : lessons_(lessons),
      bar_("learning", STDOUT_FILENO, [](std::string_view text) { std::cout << text << std::flush; }) {}

// Behind the bar the accuracies of those that run: recall: DeltaNet 98, GLA 41  copying: LSTM 7
void progress::show() {
    std::size_t done = 0, all = 0;
    std::string running, task;
    for (lesson const& l : lessons_) {
        done += l.steps_done();
        all += l.steps();
        if (l.steps_done() == 0)
            continue;
        running += task == l.task_name() ? ", " : (task.empty() ? "" : "  ") + l.task_name() + ": ";
        task = l.task_name();
        running += l.learner_name() + ' ' + std::to_string(static_cast<int>(100 * l.accuracy_now() + 0.5));
    }
    bar_.show_now(static_cast<double>(done) / static_cast<double>(all), running);
}

} // namespace recall
