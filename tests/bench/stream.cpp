// SPDX-License-Identifier: BSL-1.0
// What a step of a GRU takes at batch 1, as a call of the cell and in a stream: the best of several rounds,
// in nanoseconds. OPENBLAS_NUM_THREADS=1 is what a real-time program would set.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>

namespace {

/// The best of many rounds of `count` steps.
template <class F>
double nanoseconds(std::size_t count, F step) {
    using clock = std::chrono::steady_clock;
    double best = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 300; ++round) {
        auto const start = clock::now();
        for (std::size_t i = 0; i < count; ++i)
            step();
        std::chrono::duration<double, std::nano> const taken = clock::now() - start;
        best = std::min(best, taken.count() / static_cast<double>(count));
    }
    return best;
}

} // namespace

int main() {
    std::printf("GRU, float, batch 1, as many inputs as units\n"
                "units   cell(x, s)   stream.step(x)   stream.step(span)   ns per step\n");
    for (std::size_t const units : {16, 64, 256}) {
        sluice::cell<sluice::gru> const cell({.input = units, .units = units}, sluice::seed{7});
        xt::xtensor<float, 2> const x = 0.5f * xt::ones<float>({std::size_t(1), units});
        std::span<float const> const numbers(x.data(), units);
        std::size_t const count = 10'000 / units;

        auto state = cell.zero_state(1);
        double const called = nanoseconds(count, [&] { state = cell(x, state).state; });
        sluice::stream live(cell);
        double const streamed = nanoseconds(count, [&] { live.step(x); });
        double const plain = nanoseconds(count, [&] { live.step(numbers); });
        std::printf("%5zu %12.0f %16.0f %19.0f\n", units, called, streamed, plain);
    }
}
