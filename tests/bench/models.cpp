// SPDX-License-Identifier: BSL-1.0
// What a sample of a model takes, of one input, an LSTM or a GRU, and a dense layer to one output: of cells
// that are compiled for their sizes, of cells for any sizes, and of models whose cells are chosen at run
// time, without and with the steps of constant sizes that sluice::models has. All four are measured in turns,
// in one run; medians, and ratios. OPENBLAS_NUM_THREADS=1 is what a real-time program would set.
//
//   cmake --build BUILD --target bench_models
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/page_name.hpp>
#include <sluice/model/model_of_net.hpp>
#include <sluice/model/read_model.hpp>
#include <sluice/xtensor.hpp>
#include <span>
#include <string>
#include <vector>

namespace {

constexpr std::size_t samples = 20000, rounds = 21;

/// Medians in nanoseconds for a sample, of contestants that take turns.
template <std::size_t N>
std::array<double, N> medians(std::array<std::function<void()>, N> const& contestants) {
    using clock = std::chrono::steady_clock;
    std::array<std::vector<double>, N> times;
    for (std::size_t round = 0; round < rounds; ++round)
        for (std::size_t k = 0; k < N; ++k) {
            auto const start = clock::now();
            contestants[k]();
            std::chrono::duration<double, std::nano> const taken = clock::now() - start;
            times[k].push_back(taken.count() / samples);
        }
    std::array<double, N> found;
    for (std::size_t k = 0; k < N; ++k) {
        std::ranges::nth_element(times[k], times[k].begin() + rounds / 2);
        found[k] = times[k][rounds / 2];
    }
    return found;
}

template <class Page, std::size_t Units>
void measure() {
    constexpr sluice::sizes of_cell{.input = 1, .units = Units}, of_dense{.input = Units, .units = 1};
    sluice::cell<Page, sluice::extents<of_cell>> const cell;
    sluice::cell<sluice::dense, sluice::extents<of_dense>> const dense;
    sluice::cell<Page> const open_cell(of_cell);
    sluice::cell<sluice::dense> const open_dense(of_dense);
    sluice::stream a(cell), b(dense);
    sluice::stream open_a(open_cell), open_b(open_dense);

    sluice::described_model const described{
        .layers = {{{std::string(sluice::page_name<Page>()), of_cell}}, {{"dense", of_dense}}}};
    auto open_model =
        sluice::make_model(described, sluice::model_cells<float, Page, sluice::dense>()).stream();
    auto model = sluice::compiled_cells<float>().make(described).stream();

    std::vector<float> in(samples), out(samples);
    for (std::size_t t = 0; t < samples; ++t)
        in[t] = 0.3f * static_cast<float>(t * 37 % 101) / 101;
    auto const one_by_one = [&](auto& first, auto& second) {
        for (std::size_t t = 0; t < samples; ++t)
            out[t] = second.step(first.step(std::span<float const>(in).subspan(t, 1)))[0];
    };
    auto const t = medians<4>({[&] { one_by_one(a, b); }, [&] { one_by_one(open_a, open_b); },
                               [&] { open_model.process(in, out); }, [&] { model.process(in, out); }});
    std::printf("%-10s %5zu %9.1f %9.1f %9.1f %9.1f %12.2f %12.2f\n",
                std::string(sluice::page_name<Page>()).c_str(), Units, t[0], t[1], t[2], t[3], t[3] / t[0],
                t[2] / t[1]);
}

template <class Page>
void measure_all() {
    measure<Page, 8>();
    measure<Page, 12>();
    measure<Page, 16>();
    measure<Page, 20>();
    measure<Page, 32>();
    measure<Page, 40>();
}

} // namespace

int main() {
    std::printf(
        "ns for a sample: cells of constant sizes, cells of any, models of any, models of the library\n"
        "cell       units  constant      any     model  library  lib/constant    model/any\n");
    measure_all<sluice::lstm>();
    measure_all<sluice::cudnn_gru>();
}
