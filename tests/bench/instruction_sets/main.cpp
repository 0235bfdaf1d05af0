// SPDX-License-Identifier: BSL-1.0
// What a program loses that is compiled for every x86-64 processor: a GRU compiled for three instruction
// sets, in turns.
#include "cells.hpp"
#include <algorithm>
#include <array>
#include <cstdio>
#include <sluice/xtensor/simd/instruction_sets.hpp>

int main() {
    constexpr std::array functions{&for_x86_64::time_gru, &for_avx2::time_gru, &for_avx512::time_gru};
    auto const count = static_cast<std::size_t>(sluice::xtensor::instruction_set_of_this_processor()) + 1;
    std::puts("Milliseconds of a GRU, float32, and how often that of SSE2 is as much");
    std::puts("units  steps  batch                 SSE2           AVX2 + FMA          AVX-512");
    struct work {
        std::size_t units, steps, batch;
        bool trains;
    };
    for (work const& w : {work{64, 100, 1, false}, work{256, 100, 1, false}, work{64, 100, 16, false},
                          work{256, 100, 16, false}, work{256, 50, 32, true}}) {
        std::array<double, 3> least{};
        for (int round = 0; round < 5; ++round)
            for (std::size_t i = 0; i < count; ++i) {
                double const seconds = functions[i](w.units, w.steps, w.batch, w.trains);
                least[i] = round == 0 ? seconds : std::min(least[i], seconds);
            }
        std::printf("%5zu  %5zu  %5zu  %-9s", w.units, w.steps, w.batch, w.trains ? "training" : "");
        for (std::size_t i = 0; i < count; ++i)
            std::printf("%10.2f (%5.2f)", 1e3 * least[i], least[0] / least[i]);
        std::puts("");
    }
}
