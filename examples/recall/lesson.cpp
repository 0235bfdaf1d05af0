// SPDX-License-Identifier: BSL-1.0
#include "lesson.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <numbers>
#include <thread>

namespace recall {

namespace {

constexpr double highest_rate = 0.01;
constexpr double last_rate = 0.02; // of the highest
constexpr std::size_t warm_up = 20;
constexpr std::size_t points = 50; // of a curve
constexpr std::size_t examined = 512;

score& operator+=(score& sum, score const& more) {
    sum.loss += more.loss;
    sum.accuracy += more.accuracy;
    return sum;
}
score operator/(score const& sum, std::size_t count) {
    return {sum.loss / static_cast<double>(count), sum.accuracy / static_cast<double>(count)};
}

} // namespace

lesson::lesson(kind_of_learner const& kind, task const& t, course const& c)
    : name_(kind.name), task_(t), course_(c), learner_(kind.make(t, kind.sizes, sluice::seed{c.seed})) {}

double lesson::rate(std::size_t step) const {
    double const done = static_cast<double>(step) / static_cast<double>(course_.steps);
    double const rise = std::min(1.0, static_cast<double>(step + 1) / static_cast<double>(warm_up));
    double const fall = last_rate + (1 - last_rate) * 0.5 * (1 + std::cos(std::numbers::pi * done));
    return highest_rate * rise * fall;
}

void lesson::run() {
    auto const start = std::chrono::steady_clock::now();
    sluice::random_stream random(sluice::seed{course_.seed}, task_.name);
    score sum;
    std::size_t counted = 0;
    for (std::size_t step = 0; step < course_.steps; ++step) {
        sum += learner_->learn(task_.draw(random, course_.rows), rate(step));
        ++counted;
        if ((step + 1) * points / course_.steps > step * points / course_.steps) {
            curve_.push_back({step + 1, sum / counted});
            accuracy_ = curve_.back().mean.accuracy;
            sum = {};
            counted = 0;
        }
        done_ = step + 1;
    }
    std::size_t const batches = (examined + course_.rows - 1) / course_.rows;
    for (std::size_t k = 0; k < batches; ++k)
        result_ += learner_->examine(task_.draw(random, course_.rows));
    result_ = result_ / batches;
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void run_side_by_side(std::deque<lesson>& lessons, std::function<void()> const& watch) {
    std::atomic<std::size_t> next = 0;
    auto const work = [&] {
        for (std::size_t k = next++; k < lessons.size(); k = next++)
            lessons[k].run();
    };
    std::size_t const threads =
        std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, lessons.size());
    std::vector<std::future<void>> running;
    for (std::size_t k = 0; k < threads; ++k)
        running.push_back(std::async(std::launch::async, work));
    for (std::future<void>& thread : running)
        while (thread.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready)
            watch();
    watch();
    for (std::future<void>& thread : running)
        thread.get(); // an exception of its lesson
}

} // namespace recall
