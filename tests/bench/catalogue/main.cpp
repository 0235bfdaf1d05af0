// SPDX-License-Identifier: BSL-1.0
// What every cell of the catalogue takes for an operation in its products, beside the GRU of cuDNN's form:
// 256 inputs and units, sequences of 50 steps, batches of 1 and 16, one thread. Cells take turns; medians of
// 9 rounds.
//
//   bench_catalogue [--csv FILE]     FILE: what the book's pages of cells say of speed (docs/cells.csv)
#include <algorithm>
#include <bench/catalogue/row.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>

namespace {

constexpr int rounds = 9;

double seconds_of(std::function<void()> const& call, int calls) {
    auto const start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
        call();
    std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - start;
    return taken.count() / calls;
}

/// Nanoseconds of a step and row, for each cell.
std::vector<double> measure(std::vector<bench::row> const& rows, std::size_t batch) {
    std::vector<std::vector<double>> taken(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        auto const call = rows[i].of(batch);
        call();
        int const calls = std::max(1, static_cast<int>(0.01 / seconds_of(call, 1)));
        for (int round = 0; round < rounds; ++round)
            taken[i].push_back(seconds_of(call, calls));
    }
    std::vector<double> medians;
    for (auto& times : taken) {
        std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
        medians.push_back(times[rounds / 2] * 1e9 / static_cast<double>(bench::steps * batch));
    }
    return medians;
}

/// The processor, as Linux calls it.
std::string processor() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (std::size_t const colon = line.find(": "); line.starts_with("model name") && colon != line.npos)
            return line.substr(colon + 2);
    return "a processor without a name";
}

/// With the lines that tests/catalogue/page.hpp reads: how it was measured, and the numbers.
bool write_csv(std::string const& path, std::vector<bench::row> const& rows, std::vector<double> const& one,
               std::vector<double> const& many) {
    std::ofstream file(path);
    file << "# Sequences of " << bench::steps << " steps in float, one thread of " << processor()
         << ", medians of " << rounds << " rounds, by `bench_catalogue --csv docs/cells.csv`.\n"
         << "cell,ns of a step,ns of a step and row in a batch of 16\n";
    for (std::size_t i = 0; i < rows.size(); ++i)
        file << rows[i].name << ',' << static_cast<long>(one[i] + 0.5) << ','
             << static_cast<long>(many[i] + 0.5) << '\n';
    file.flush();
    return file.good();
}

} // namespace

int main(int count, char** arguments) {
    if (count != 1 && (count != 3 || std::string_view(arguments[1]) != "--csv")) {
        std::cerr << "usage: bench_catalogue [--csv FILE]\n";
        return 2;
    }
    auto& rows = bench::rows();
    std::sort(rows.begin(), rows.end(), [](auto const& a, auto const& b) { return a.place < b.place; });
    auto const one = measure(rows, 1), many = measure(rows, 16);
    std::size_t const gru = static_cast<std::size_t>(
        std::find_if(rows.begin(), rows.end(), [](auto const& r) { return r.name == "cudnn_gru"; }) -
        rows.begin());
    auto const relative = [&](std::vector<double> const& times, std::size_t i) {
        return times[i] / rows[i].products / (times[gru] / rows[gru].products);
    };
    std::printf(
        "256 inputs and units, %zu steps; ns of a step and row, and of an operation in products relative "
        "to cudnn_gru\n%-28s %15s %10s %8s %10s %8s\n",
        bench::steps, "cell", "operations", "batch 1", "ratio", "batch 16", "ratio");
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::printf("%-28.*s %15.0f %10.0f %8.2f %10.0f %8.2f\n", static_cast<int>(rows[i].name.size()),
                    rows[i].name.data(), rows[i].products, one[i], relative(one, i), many[i],
                    relative(many, i));
    if (count == 3 && !write_csv(arguments[2], rows, one, many)) {
        std::cerr << "bench_catalogue: nothing could be written to " << arguments[2] << '\n';
        return 1;
    }
}
