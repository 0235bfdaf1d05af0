// SPDX-License-Identifier: BSL-1.0
// One learner and one task. All lessons are of the same steps, rates and sequences, and none takes part in
// another: they run side by side, and their numbers do not depend on how many do.
//
// The learning rate rises over the first steps and then falls along a cosine. Sequences are new in each step,
// so that the score of a step is one of sequences that were never seen.
#pragma once

#include "learner.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace recall {

struct course {
    std::size_t steps = 0;
    std::size_t rows = 0; // sequences in each step
    std::uint64_t seed = 0;
};

/// The mean scores of some steps, the last of which is `step`.
struct curve_point {
    std::size_t step = 0;
    score mean{};
};

class lesson {
public:
    lesson(kind_of_learner const& kind, task const& t, course const& c);

    void run();

    std::string const& learner_name() const { return name_; }
    std::string const& task_name() const { return task_.name; }
    std::size_t parameter_count() const { return learner_->parameter_count(); }
    std::size_t state_size() const { return learner_->state_size(); }

    // While it runs:
    std::size_t steps() const { return course_.steps; }
    std::size_t steps_done() const { return done_; }
    double accuracy_now() const { return accuracy_; } // of the last steps

    // When it has run:
    std::vector<curve_point> const& curve() const { return curve_; }
    score const& result() const { return result_; } // of sequences that come after
    double seconds() const { return seconds_; }

private:
    double rate(std::size_t step) const;

    std::string name_;
    task task_;
    course course_;
    std::unique_ptr<learner> learner_;
    std::atomic<std::size_t> done_ = 0;
    std::atomic<double> accuracy_ = 0;
    std::vector<curve_point> curve_{};
    score result_{};
    double seconds_ = 0;
};

/// Runs all lessons, in as many threads as there are processors. `watch` is called ten times a second, and at
/// the end.
void run_side_by_side(std::deque<lesson>& lessons, std::function<void()> const& watch);

} // namespace recall
