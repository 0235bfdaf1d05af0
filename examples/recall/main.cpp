// SPDX-License-Identifier: BSL-1.0
// What matrices as states are for. DeltaNet, gated linear attention (GLA) and an LSTM of as many parameters
// learn to recall values by their keys, and to copy a string; the three see the same sequences, in the same
// steps of the same optimiser. The state of the LSTM is a vector of some numbers, which has to hold all that
// may be asked for later; that of the others is a matrix, with room for a value under each key. Where a key
// comes again, DeltaNet replaces its value, and GLA adds the new one to the old one.
#include "../../apps/char_lm/one_blas_thread.hpp"
#include "../../apps/run_program.hpp"
#include "chart.hpp"
#include "lesson.hpp"
#include "options.hpp"
#include "progress.hpp"

#include <cstdio>
#include <fstream>
#include <iostream>

namespace {

using namespace recall;

std::vector<task> tasks(bool quick) {
    if (quick)
        return {associative_recall(8, 8, 8, 8), copying(8, 6)};
    return {associative_recall(16, 16, 24, 16), copying(24, 16)};
}

void print_sizes(std::deque<lesson> const& lessons) {
    std::printf("%-10s %-10s %12s %16s\n", "task", "cell", "parameters", "numbers of state");
    for (lesson const& l : lessons)
        std::printf("%-10s %-10s %12zu %16zu\n", l.task_name().c_str(), l.learner_name().c_str(),
                    l.parameter_count(), l.state_size());
    std::fflush(stdout);
}

void print_results(std::deque<lesson> const& lessons) {
    std::printf("\n%-10s %-10s %12s %12s %12s %12s\n", "task", "cell", "first loss", "last loss", "accuracy",
                "seconds");
    for (lesson const& l : lessons)
        std::printf("%-10s %-10s %12.3f %12.3f %10.1f %% %12.1f\n", l.task_name().c_str(),
                    l.learner_name().c_str(), l.curve().front().mean.loss, l.result().loss,
                    100 * l.result().accuracy, l.seconds());
}

void run(options const& o) {
    std::ofstream file;
    if (!o.picture.empty()) {
        file.open(o.picture);
        if (!file)
            throw bad_call("--picture takes a file that can be written, but '" + o.picture +
                           "' cannot; name another one.");
    }
    course const c{.steps = o.steps > 0 ? o.steps : o.quick ? 120u : 500u, .rows = 32, .seed = o.seed};
    std::deque<lesson> lessons;
    for (task const& t : tasks(o.quick))
        for (kind_of_learner const& kind : learners())
            lessons.emplace_back(kind, t, c);

    print_sizes(lessons);
    {
        progress bar(lessons);
        run_side_by_side(lessons, [&] { bar.show(); });
    }
    std::cout << text_chart(lessons);
    print_results(lessons);
    if (file.is_open() && !(file << picture(lessons)).flush())
        throw std::runtime_error("'" + o.picture + "' could not be written; make room for it.");
}

} // namespace

int main(int count, char** words) {
    char_lm::one_blas_thread();
    return terminal::run_program<bad_call>("recall", [&] {
        options const o = parse({words + 1, words + count});
        if (o.help)
            std::cout << help_text;
        else
            run(o);
    });
}
