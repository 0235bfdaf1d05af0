// SPDX-License-Identifier: BSL-1.0
#include "rounds.hpp"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sched.h>
#include <stdexcept>

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
/// Calls that take about a hundredth of a second. The first one does not count: it packs weights and makes
/// threads.
std::size_t calls_of(std::function<void()> const& call) {
    call();
    double once = seconds_of(call, 1);
    if (once < 0.01)
        once = seconds_of(call, 3) / 3;
    return static_cast<std::size_t>(std::clamp(0.01 / std::max(once, 1e-9), 1., 1e6));
}

/// Leaves out each peer that fails. A failure of this library, which comes first, ends the program.
template <class Step>
void keep_where(work& w, Step const& step) {
    for (std::size_t i = 0; i < w.all.size();) {
        try {
            step(w.all[i]);
            ++i;
        } catch (std::exception const& e) {
            if (i == 0)
                throw std::runtime_error(w.called + ": " + w.all[i].called + ": " + e.what());
            leave_out(w.all[i].called, w.called, e.what());
            w.all.erase(w.all.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
}

} // namespace

terminal::progress_bar& shown_progress() {
    static terminal::progress_bar one("bench");
    return one;
}

void leave_out(std::string const& called, std::string const& work, std::string const& why) {
    shown_progress().erase();
    std::cerr << work << ": without " << called << ": " << why << std::endl;
}

void compare(work& w) {
    if (w.all.empty())
        return;
    auto const expected = w.all.front().answer();
    float largest = 0;
    for (float const value : expected)
        largest = std::max(largest, std::abs(value));
    auto const difference_of = [&](contestant const& one) {
        auto const came = one.answer();
        if (came.size() != expected.size())
            throw std::runtime_error("it gives " + std::to_string(came.size()) + " numbers instead of " +
                                     std::to_string(expected.size()));
        double found = 0;
        for (std::size_t i = 0; i < came.size(); ++i) {
            double const difference = std::abs(came[i] - expected[i]) / largest;
            found = difference >= found || difference != difference ? difference : found;
        }
        if (!(found < w.largest_difference))
            throw std::runtime_error("its answer differs from that of " + w.all.front().called + " by " +
                                     std::to_string(found));
        return found;
    };
    keep_where(w, [&](contestant& one) {
        if (one.answer)
            one.difference = difference_of(one);
    });
}

std::vector<result> run(work& w, int rounds, machine& m, std::function<void(double)> const& show) {
    compare(w);
    for (contestant const& one : w.all)
        if (!one.call && !one.measure) // it has no line of its own
            w.all.front().difference = std::max(w.all.front().difference, one.difference);
    std::erase_if(w.all, [](contestant const& one) { return !one.call && !one.measure; });
    keep_where(w, [](contestant& one) { one.count = one.measure ? 1 : calls_of(one.call); });
    for (int round = 0; round < rounds; ++round) {
        auto const start = clock::now();
        keep_where(w, [](contestant& one) {
            one.times.push_back(one.measure
                                    ? one.measure()
                                    : seconds_of(one.call, one.count) / static_cast<double>(one.count));
        });
        m.measure_flops();
        if (std::chrono::duration<double>(clock::now() - start).count() > 1)
            rounds = std::min(rounds, 5);
        if (show)
            show(static_cast<double>(round + 1) / rounds);
    }
    std::vector<result> found;
    for (contestant& one : w.all) {
        one.seconds = median(one.times) * one.scale;
        found.push_back({w.called, one.called, one.seconds, w.flops / one.seconds,
                         one.seconds / w.all.front().seconds, one.difference});
    }
    return found;
}

void serve(contestant const& one) {
    std::size_t const count = calls_of(one.call);
    std::string line;
    while (std::getline(std::cin, line))
        if (line.starts_with("answer ")) {
            auto const numbers = one.answer();
            std::ofstream file(line.substr(7), std::ios::binary);
            file.write(reinterpret_cast<char const*>(numbers.data()),
                       static_cast<std::streamsize>(numbers.size() * sizeof(float)));
            file.close();
            std::cout << said << numbers.size() << std::endl;
        } else {
            seconds_of(one.call, 1 + count / 4); // threads and caches wake up
            std::cout << said << seconds_of(one.call, count) / static_cast<double>(count) << std::endl;
        }
}

void stay_on_cores(int count) {
    cpu_set_t mine, some;
    if (sched_getaffinity(0, sizeof(mine), &mine) != 0)
        return;
    CPU_ZERO(&some);
    for (unsigned at = static_cast<unsigned>(sched_getcpu()), seen = 0; seen < CPU_SETSIZE && count > 0;
         ++seen, at = (at + 1) % CPU_SETSIZE)
        if (CPU_ISSET(at, &mine)) {
            CPU_SET(at, &some);
            --count;
        }
    (void)sched_setaffinity(0, sizeof(some), &some);
}

} // namespace bench
