// SPDX-License-Identifier: BSL-1.0
// What threads gain: works on one thread (xtensor::planned) and on several (xtensor::threaded), in turns; the
// best of many rounds, in microseconds.
//
//   bench_threads [threads] [seconds for each work]
#include "cells/numbers.hpp"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <sched.h>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/delta_net.hpp>
#include <sluice/cells/linear_attention.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/mlstm.hpp>
#include <sluice/cells/rwkv7.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/threaded.hpp>
#include <system_error>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;

double since(clock_type::time_point start) {
    return std::chrono::duration<double, std::micro>(clock_type::now() - start).count();
}

double budget = 0.5;

/// The best time of a call of each, in turns of two milliseconds.
void compare(char const* name, std::size_t units, std::size_t batch, std::function<void()> const& one,
             std::function<void()> const& several) {
    double best[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    std::size_t calls = 1;
    auto const begin = clock_type::now();
    while (since(begin) < budget * 1e6) {
        for (int which : {0, 1}) {
            auto const& call = which == 0 ? one : several;
            for (std::size_t i = 0; i < 1 + calls / 4; ++i)
                call();
            auto const start = clock_type::now();
            for (std::size_t i = 0; i < calls; ++i)
                call();
            best[which] = std::min(best[which], since(start) / static_cast<double>(calls));
        }
        calls = static_cast<std::size_t>(std::max(1.0, 2000 / best[0]));
    }
    std::printf("%-28s %5zu %6zu %12.2f %12.2f %7.2f\n", name, units, batch, best[0], best[1],
                best[0] / best[1]);
    std::fflush(stdout);
}

enum class work { step, inference, training };

template <class Page, class Policy>
struct subject {
    using cell_type = sluice::cell<Page, float, Policy>;
    cell_type cell;
    xt::xtensor<float, 3> xs;
    xt::xtensor<float, 2> x;
    sluice::stream<cell_type> live;

    subject(sluice::sizes const& n, std::size_t batch, std::size_t time)
        : cell(n, sluice::seed{7}), xs(0.1f * xt::ones<float>({time, batch, n.input})),
          x(0.1f * xt::ones<float>({batch, n.input})), live(cell, batch) {}
    void run(work what) {
        auto const zero = [&] { return cell.zero_state(x.shape()[0]); };
        if (what == work::step)
            live.step(x);
        else if (what == work::inference)
            sluice::infer(cell, xs, zero());
        else {
            auto const run = sluice::unroll(cell, xs, zero());
            sluice::backward(cell, run, run.outputs);
        }
    }
};

/// Each thread on a processor of its own, as far as there are so many.
void pin_threads() {
    auto& all = sluice::xtensor::team::of_process();
    if (all.lead(std::size_t(1) << 30)) // there are threads from here on
        all.leave();
    cpu_set_t mine;
    std::vector<std::size_t> processors; // those that this process may use
    if (sched_getaffinity(0, sizeof mine, &mine) == 0)
        for (std::size_t i = 0; i < CPU_SETSIZE; ++i)
            if (CPU_ISSET(i, &mine))
                processors.push_back(i);
    std::error_code problem;
    std::filesystem::directory_iterator entry("/proc/self/task", problem);
    if (processors.empty() || problem) {
        std::fprintf(stderr,
                     "threads are left where the system puts them: it does not say which there are\n");
        return;
    }
    for (std::size_t i = 0; entry != std::filesystem::directory_iterator(); ++i, entry.increment(problem)) {
        cpu_set_t where;
        CPU_ZERO(&where);
        CPU_SET(processors[i % processors.size()], &where);
        sched_setaffinity(std::atoi(entry->path().filename().c_str()), sizeof where, &where);
    }
}

template <class Page>
void compare(char const* name, work what, sluice::sizes const& n, std::size_t batch, std::size_t time) {
    subject<Page, sluice::xtensor::planned> one(n, batch, time);
    subject<Page, sluice::xtensor::threaded> several(n, batch, time);
    compare(
        name, n.units, batch, [&] { one.run(what); }, [&] { several.run(what); });
}
template <class Page>
void compare(char const* name, work what, std::size_t units, std::size_t batch, std::size_t time) {
    compare<Page>(name, what, {.input = units, .units = units}, batch, time);
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (argc > 1)
            sluice::xtensor::set_threads(
                bench::number_in<std::size_t>(argv[1], "the number of threads", 1, 1024));
        if (argc > 2)
            budget = bench::number_in<double>(argv[2], "seconds for each work", 0.001, 3600);
    } catch (std::exception const& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    }
    pin_threads();
    std::printf("%-28s %5s %6s %12s %9zu thr. %7s\n", "work", "units", "batch", "one thread",
                sluice::xtensor::threads(), "gain");
    for (std::size_t const units : {64u, 128u, 256u, 512u, 1024u})
        compare<sluice::cudnn_gru>("GRU, step", work::step, units, 1, 1);
    compare<sluice::lstm>("LSTM, step", work::step, 512, 1, 1);
    for (std::size_t const units : {128u, 512u})
        compare<sluice::cudnn_gru>("GRU, T 100", work::inference, units, 1, 100);
    for (std::size_t const batch : {16u, 64u})
        compare<sluice::cudnn_gru>("GRU, T 100", work::inference, 512, batch, 100);
    compare<sluice::lstm>("LSTM, T 100", work::inference, 512, 64, 100);
    compare<sluice::cudnn_gru>("GRU, training, T 50", work::training, 256, 32, 50);
    for (std::size_t const units : {256u, 512u}) { // of 4 heads
        sluice::sizes const n{.input = 16, .units = units, .groups = 4};
        compare<sluice::gated_delta_net>("Gated DeltaNet, step", work::step, n, 1, 1);
        compare<sluice::gated_delta_net>("Gated DeltaNet, T 1024", work::inference, n, 1, 1024);
        compare<sluice::gated_delta_net>("Gated DeltaNet, training", work::training, n, 1, 1024);
        compare<sluice::gated_linear_attention>("GLA, T 1024", work::inference, n, 1, 1024);
        compare<sluice::mlstm>("mLSTM, T 1024", work::inference, n, 1, 1024);
        compare<sluice::mlstm>("mLSTM, training", work::training, n, 1, 1024);
        compare<sluice::rwkv7>("RWKV-7, T 1024", work::inference, sluice::rwkv7::sizes_of(16, units), 1,
                               1024);
    }
}
