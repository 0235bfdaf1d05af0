// SPDX-License-Identifier: BSL-1.0
// A table of what cells take on one core, in turns with what other libraries take for the same.
//
//     bench_cells [--quick] [--rounds N] [--csv FILE] [WORDS]       only works whose names contain WORDS
#include "peers.hpp"
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <random>

namespace {

using namespace bench;

std::vector<float> random_numbers(std::size_t count, float size, unsigned seed) {
    std::mt19937 bits(seed);
    std::uniform_real_distribution<float> uniform(-size, size);
    std::vector<float> numbers(count);
    for (float& number : numbers)
        number = uniform(bits);
    return numbers;
}

cell_numbers cell_of(cell_kind kind, std::size_t input, std::size_t units) {
    cell_numbers n{.kind = kind, .input = input, .units = units};
    float const size = std::sqrt(3.f / static_cast<float>(units));
    n.w = random_numbers(input * n.gates() * units, size, 1);
    n.r = random_numbers(units * n.gates() * units, size, 2);
    n.b = random_numbers(n.gates() * units, 0.5f, 3);
    n.b_recurrent = random_numbers(units, 0.5f, 4);
    return n;
}

char const* name_of(cell_kind kind) {
    return kind == cell_kind::lstm ? "LSTM" : "GRU";
}

/// Rows of the table in the order in which they are printed.
struct task {
    std::string group;
    cell_kind kind;
    std::size_t units, steps, batch;
    bool trains = false, fixed = false, is_quick = false;

    std::string called() const {
        std::string text = group + ": " + name_of(kind) + " " + std::to_string(units);
        if (steps > 1)
            text += ", T " + std::to_string(steps);
        return text + ", batch " + std::to_string(batch);
    }
};

std::vector<task> all_tasks() {
    std::vector<task> all;
    for (std::size_t const units : {8, 16, 32, 64})
        all.push_back({"fixed step", cell_kind::cudnn_gru, units, 1, 1, false, true, units == 16});
    for (std::size_t const units : {32, 64, 128, 256, 512, 1024})
        all.push_back({"step", cell_kind::cudnn_gru, units, 1, 1, false, false, units == 256});
    for (cell_kind const kind : {cell_kind::cudnn_gru, cell_kind::lstm}) {
        for (std::size_t const units : {128, 512})
            for (std::size_t const batch : {1, 2, 4})
                all.push_back(
                    {"sequence", kind, units, 100, batch, false, false, units == 128 && batch == 1});
        for (std::size_t const units : {128, 256, 512, 1024})
            for (std::size_t const batch : {16, 64, 256})
                if (units < 1024 || batch < 256)
                    all.push_back(
                        {"sequence", kind, units, 100, batch, false, false, units == 256 && batch == 16});
        for (std::size_t const units : {128, 256, 512})
            all.push_back({"training", kind, units, 50, 32, true, false, units == 256});
        all.push_back({"training", kind, 256, 50, 1, true, false, false});
    }
    return all;
}

work work_of(task const& t) {
    cell_numbers const cell = cell_of(t.kind, t.units, t.units);
    sequence over{.steps = t.steps, .batch = t.batch};
    over.xs = random_numbers(t.steps * t.batch * t.units, 1, 5);
    if (t.trains)
        over.dys = random_numbers(t.steps * t.batch * t.units, 1, 6);
    work w{.called = t.called()};
    w.flops = cell.flops() * static_cast<double>(t.steps * t.batch * (t.trains ? 3 : 1));
    std::size_t const rows =
        t.units + (t.steps > 1 ? 0 : t.units); // those of the input are read once for all steps
    w.weight_bytes =
        static_cast<double>(rows * cell.gates() * t.units * sizeof(float) * t.steps * (t.trains ? 3 : 1));
    if (t.fixed)
        if (auto mine = this_library_fixed(cell, over))
            w.all.push_back(std::move(*mine));
    if (w.all.empty())
        w.all.push_back(this_library(cell, over));
    auto const add = [&](std::optional<contestant> peer) {
        if (peer)
            w.all.push_back(std::move(*peer));
    };
#ifdef BENCH_ONEDNN
    add(onednn(cell, over));
#endif
#ifdef BENCH_TORCH
    add(torch_library(cell, over));
#endif
#ifdef BENCH_EIGEN
    add(eigen(cell, over));
#endif
    return w;
}

} // namespace

int main(int count, char** words) {
    CLI::App app("What cells take on one core, in turns with other libraries.");
    bool is_quick = false;
    int rounds = 9;
    std::string file, wanted;
    app.add_flag("--quick", is_quick, "one row of each kind");
    app.add_option("--rounds", rounds, "how often each is timed")->check(CLI::Range(1, 1000));
    app.add_option("--csv", file, "where the table goes as comma-separated values");
    app.add_option("works", wanted, "only works whose names contain this");
    CLI11_PARSE(app, count, words);

    stay_on_one_core();
    machine const m = measure_machine();
    print_head(m);
    std::ofstream csv_file;
    if (!file.empty()) {
        csv_file.open(file);
        csv_file << "work,library,microseconds,GFLOP/s,time over that of sluice\n";
        if (!csv_file) {
            std::cerr << "the file " << file << " cannot be written; give another\n";
            return 2;
        }
    }
    std::map<std::string, std::pair<double, int>> means; // of the logarithms, by group and peer
    for (task const& t : all_tasks()) {
        if ((is_quick && !t.is_quick) || t.called().find(wanted) == std::string::npos)
            continue;
        try {
            work w = work_of(t);
            run(w, rounds);
            print(w, m);
            csv_file << csv(w) << std::flush;
            for (contestant const& peer : w.all)
                if (&peer != &w.all.front()) {
                    auto& [sum, terms] = means[t.group + ", " + peer.called];
                    sum += std::log(peer.seconds / w.all.front().seconds);
                    ++terms;
                }
        } catch (std::exception const& e) {
            std::cerr << e.what() << '\n';
            return 1;
        }
    }
    std::printf("\nTime of a peer over ours, geometric means:\n");
    for (auto const& [called, of] : means)
        std::printf("%-36s %.2f of %d\n", called.c_str(), std::exp(of.first / of.second), of.second);
}
