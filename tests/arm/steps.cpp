// SPDX-License-Identifier: BSL-1.0
// Steps whose instructions are counted (count.py):
//
//   steps            names each step, with the vectors of weights that it multiplies with
//   steps NAME N     makes N of them, one row each
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor/step.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::string_view wanted;
std::size_t steps = 0;

template <class Page, std::size_t Gates, class S, sluice::sizes Sizes, bool AreKnown>
void run(char const* cell_name) {
    constexpr std::size_t lanes = sluice::xtensor::simd<S>::lanes;
    std::string const name = std::string(cell_name) + "-" + std::to_string(Sizes.units) +
                             (AreKnown ? "-known-" : "-") + (sizeof(S) == 4 ? "float" : "double");
    if (wanted.empty()) {
        std::printf("%s %zu\n", name.c_str(), Gates * (Sizes.input + Sizes.units) * Sizes.units / lanes);
    } else if (wanted == name) {
        auto const cell = [] {
            if constexpr (AreKnown)
                return sluice::cell<Page, S, sluice::extents<Sizes>>(sluice::seed{7});
            else
                return sluice::cell<Page, S>(Sizes, sluice::seed{7});
        }();
        sluice::stream live(cell, 1);
        std::vector<S> const x(Sizes.input, S(0.5));
        for (std::size_t t = 0; t < steps; ++t)
            live.step(std::span<S const>(x));
    }
}

template <class Page, std::size_t Gates>
void run_all(char const* name) {
    constexpr sluice::sizes small{.input = 32, .units = 32}, large{.input = 256, .units = 256};
    run<Page, Gates, float, small, true>(name);
    run<Page, Gates, double, small, true>(name);
    run<Page, Gates, float, large, false>(name);
    run<Page, Gates, double, large, false>(name);
}

} // namespace

int main(int count, char** given) {
    if (count == 3)
        wanted = given[1], steps = std::strtoul(given[2], nullptr, 10);
    run_all<sluice::gru, 3>("gru");
    run_all<sluice::lstm, 4>("lstm");
}
