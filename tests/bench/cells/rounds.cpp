// SPDX-License-Identifier: BSL-1.0
#include "rounds.hpp"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <sched.h>
#include <stdexcept>
#include <xsimd/xsimd.hpp>

namespace bench {

namespace {

using clock = std::chrono::steady_clock;

double seconds_of(std::function<void()> const& call, std::size_t count) {
    auto const start = clock::now();
    for (std::size_t i = 0; i < count; ++i)
        call();
    return std::chrono::duration<double>(clock::now() - start).count();
}
double median(std::vector<double> values) {
    auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

using batch = xsimd::batch<float>;
constexpr std::size_t chains = 12; // enough to hide the latency of an addition

/// 2 chains batch::size operations for each of `count` turns.
[[gnu::noinline]] float multiply_and_add(std::size_t count, float times, float plus) {
    batch sums[chains];
    for (std::size_t k = 0; k < chains; ++k)
        sums[k] = batch(static_cast<float>(k));
    batch const a(times), b(plus);
    for (std::size_t i = 0; i < count; ++i)
        for (auto& sum : sums)
            sum = xsimd::fma(sum, a, b);
    batch all(0.f);
    for (auto const& sum : sums)
        all += sum;
    return xsimd::hadd(all);
}
[[gnu::noinline]] float add_up(float const* numbers, std::size_t count) {
    batch sums[8];
    for (auto& sum : sums)
        sum = batch(0.f);
    constexpr std::size_t step = 8 * batch::size;
    for (std::size_t i = 0; i + step <= count; i += step)
        for (std::size_t k = 0; k < 8; ++k)
            sums[k] += batch::load_aligned(numbers + i + k * batch::size);
    batch all(0.f);
    for (auto const& sum : sums)
        all += sum;
    return xsimd::hadd(all);
}

volatile float kept = 0; ///< so that nothing is left out

} // namespace

double machine::read_rate(double bytes) const {
    for (auto const& [size, rate] : reads)
        if (bytes <= static_cast<double>(size))
            return rate;
    return reads.back().second;
}

machine measure_machine() {
    machine m;
    for (int round = 0; round < 9; ++round) {
        constexpr std::size_t turns = 400'000;
        double const taken = seconds_of([] { kept = multiply_and_add(turns, 0.999f, 0.001f); }, 1);
        m.flops = std::max(m.flops, 2. * chains * batch::size * turns / taken);
    }
    for (std::size_t const kilobytes : {16, 256, 1024, 8192, 262144}) {
        std::size_t const bytes = kilobytes * 1024;
        std::vector<float, xsimd::default_allocator<float>> numbers(bytes / sizeof(float), 1.f);
        std::size_t const calls = std::max<std::size_t>(1, (std::size_t(64) << 20) / bytes);
        double best = 0;
        for (int round = 0; round < 7; ++round)
            best =
                std::max(best, static_cast<double>(bytes * calls) /
                                   seconds_of([&] { kept = add_up(numbers.data(), numbers.size()); }, calls));
        m.reads.emplace_back(bytes, best);
    }
    return m;
}

void run(work& w, int rounds) {
    auto const expected = w.all.front().answer();
    float largest = 0;
    for (float const value : expected)
        largest = std::max(largest, std::abs(value));
    for (contestant& one : w.all) {
        auto const came = one.answer();
        if (came.size() != expected.size())
            throw std::runtime_error(w.called + ": " + one.called + " gives another number of results");
        for (std::size_t i = 0; i < came.size(); ++i)
            one.difference =
                std::max(one.difference, static_cast<double>(std::abs(came[i] - expected[i]) / largest));
        if (!(one.difference < 1e-4))
            throw std::runtime_error(w.called + ": the answer of " + one.called + " differs by " +
                                     std::to_string(one.difference));
    }
    std::vector<std::size_t> counts;
    for (contestant const& one : w.all) {
        seconds_of(one.call, 3);
        double const once = seconds_of(one.call, 2) / 2;
        counts.push_back(static_cast<std::size_t>(std::clamp(0.01 / std::max(once, 1e-9), 1., 1e6)));
    }
    std::vector<std::vector<double>> times(w.all.size());
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < w.all.size(); ++i)
            times[i].push_back(seconds_of(w.all[i].call, counts[i]) / static_cast<double>(counts[i]));
    for (std::size_t i = 0; i < w.all.size(); ++i)
        w.all[i].seconds = median(times[i]);
}

void print_head(machine const& m) {
    std::printf("One core: %.0f GFLOP/s; reads", m.flops / 1e9);
    for (auto const& [bytes, rate] : m.reads)
        std::printf(", %zu KiB: %.0f GB/s", bytes / 1024, rate / 1e9);
    std::printf("\nMicroseconds of a call; %% of the core's multiplications and additions, and of its reads "
                "of weights; behind "
                "each peer its time over ours.\n%-44s %10s %5s %5s\n",
                "work", "sluice", "flops", "reads");
}

void print(work const& w, machine const& m) {
    double const mine = w.all.front().seconds;
    std::printf("%-44s %10.2f %4.0f%% %4.0f%%", w.called.c_str(), mine * 1e6, 100 * w.flops / mine / m.flops,
                100 * w.weight_bytes / mine / m.read_rate(w.weight_bytes));
    for (std::size_t i = 1; i < w.all.size(); ++i)
        std::printf("   %s %.2f: %.2f", w.all[i].called.c_str(), w.all[i].seconds * 1e6,
                    w.all[i].seconds / mine);
    std::printf("\n");
    std::fflush(stdout);
}

std::string csv(work const& w) {
    std::string lines;
    for (contestant const& one : w.all)
        lines += w.called + "," + one.called + "," + std::to_string(one.seconds * 1e6) + "," +
                 std::to_string(w.flops / one.seconds / 1e9) + "," +
                 std::to_string(one.seconds / w.all.front().seconds) + "\n";
    return lines;
}

void stay_on_one_core() {
    cpu_set_t mine;
    CPU_ZERO(&mine);
    CPU_SET(static_cast<unsigned>(sched_getcpu()), &mine);
    (void)sched_setaffinity(0, sizeof(mine), &mine);
}

} // namespace bench
