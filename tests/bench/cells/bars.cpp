// SPDX-License-Identifier: BSL-1.0
#include "bars.hpp"
#include "numbers.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fnmatch.h>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace bench {

namespace {

/// How the ratios of several works, best peer's time over ours, become one number.
enum class number {
    mean,      ///< geometric
    smallest,  ///<
    mean_cost, ///< ours over the peer's: geometric mean
    largest_cost,
    peak, ///< the smallest part of the machine's multiplications and additions, in percent
};

struct bar {
    char const* which;
    char const* text;
    std::vector<char const*> works; ///< patterns as of file names
    std::vector<char const*> peers; ///< libraries, patterns too
    number how;
    double must, aim; ///< 0: nothing is asked
};

std::vector<bar> all_bars() {
    using enum number;
    std::vector<char const*> const all{"oneDNN*", "ONNX Runtime", "PyTorch*"};
    std::vector<char const*> const two_threads{"oneDNN*", "ONNX Runtime", "PyTorch*", "dnnl_sgemm by hand"};
    std::vector<char const*> const step{"oneDNN*", "ONNX Runtime", "Eigen", "dnnl_sgemm by hand"};
    std::vector<char const*> const batched{
        "sequence: GRU*[0-9], T 100, batch 16",   "sequence: GRU*[0-9], T 100, batch 64",
        "sequence: GRU*[0-9], T 100, batch 256",  "sequence: LSTM *[0-9], T 100, batch 16",
        "sequence: LSTM *[0-9], T 100, batch 64", "sequence: LSTM *[0-9], T 100, batch 256"};
    std::vector<char const*> const cells{
        "cell: GRU*",        "cell: LSTM*",       "cell: tanh RNN*",      "cell: G-LSTM*", "cell: MGU*",
        "cell: UGRNN*",      "cell: minimalRNN*", "cell: JANET*",         "cell: RHN*",    "cell: NAS*",
        "cell: normalised*", "cell: LEM*",        "cell: multiplicative*"};
    std::vector<char const*> const gru{"cuDNN's GRU by multiplications"};
    return {
        {"1", "step 8, fixed sizes, against Eigen", {"fixed step: GRU 8,*"}, {"Eigen"}, smallest, 1.15, 1.5},
        {"1",
         "step 16, fixed sizes, against Eigen",
         {"fixed step: GRU 16,*"},
         {"Eigen"},
         smallest,
         1.15,
         1.5},
        {"1",
         "step 32, fixed sizes, against Eigen",
         {"fixed step: GRU 32,*"},
         {"Eigen"},
         smallest,
         1.15,
         1.5},
        {"1",
         "step 64, fixed sizes, against Eigen",
         {"fixed step: GRU 64,*"},
         {"Eigen"},
         smallest,
         1.15,
         1.5},
        {"2", "step 32, fixed sizes, against oneDNN", {"fixed step: GRU 32,*"}, {"oneDNN*"}, smallest, 8, 12},
        {"2",
         "step 64, fixed sizes, against oneDNN",
         {"fixed step: GRU 64,*"},
         {"oneDNN*"},
         smallest,
         3,
         3.7},
        {"2",
         "step 128, fixed sizes, against oneDNN",
         {"fixed step: GRU 128,*"},
         {"oneDNN*"},
         smallest,
         1.3,
         1.4},
        {"3",
         "steps 8, 16, 32, fixed sizes, against PyTorch",
         {"fixed step: GRU 8,*", "fixed step: GRU 16,*", "fixed step: GRU 32,*"},
         {"PyTorch"},
         smallest,
         50,
         100},
        {"3",
         "steps 8, 16, 32, fixed sizes, against ONNX Runtime",
         {"fixed step: GRU 8,*", "fixed step: GRU 16,*", "fixed step: GRU 32,*"},
         {"ONNX Runtime"},
         smallest,
         40,
         80},
        {"3b", "an audio sample against xsimd by hand", {"audio: *"}, {"xsimd by hand"}, smallest, 1, 1.3},
        {"3c",
         "steps 16, 32 and 64, sizes of run time, against Eigen of such sizes",
         {"step: GRU 16,*", "step: GRU 32,*", "step: GRU 64,*"},
         {"Eigen, sizes of run time"},
         smallest,
         1.2,
         1.6},
        {"4",
         "steps 256, GRU and LSTM, against the best",
         {"step: GRU 256,*", "step: LSTM 256,*"},
         step,
         smallest,
         1.25,
         1.4},
        {"4",
         "steps 512, GRU and LSTM, against the best",
         {"step: GRU 512,*", "step: LSTM 512,*"},
         step,
         smallest,
         1.25,
         1.4},
        {"4",
         "steps 1024, GRU and LSTM, against the best",
         {"step: GRU 1024,*", "step: LSTM 1024,*"},
         step,
         smallest,
         1.25,
         1.4},
        {"5",
         "two threads, step 128, against the best",
         {"step on two cores: GRU 128,*"},
         two_threads,
         smallest,
         2,
         2.5},
        {"5",
         "two threads, step 256, against the best",
         {"step on two cores: GRU 256,*"},
         two_threads,
         smallest,
         1.6,
         2},
        {"5",
         "two threads, step 512, against the best",
         {"step on two cores: GRU 512,*"},
         two_threads,
         smallest,
         1.4,
         1.7},
        {"6",
         "sequences at batch 1, GRU and LSTM 128",
         {"sequence: GRU 128, T 100, batch 1", "sequence: LSTM 128, T 100, batch 1"},
         {"oneDNN*", "ONNX Runtime"},
         smallest,
         1.15,
         1.3},
        {"6",
         "sequences at batch 1, GRU and LSTM 512",
         {"sequence: GRU 512, T 100, batch 1", "sequence: LSTM 512, T 100, batch 1"},
         {"oneDNN*", "ONNX Runtime"},
         smallest,
         1.15,
         1.3},
        {"7",
         "sequences at batch 2 and 4, the worst",
         {"sequence: *, T 100, batch [24]"},
         {"oneDNN*", "ONNX Runtime"},
         smallest,
         1.1,
         1.2},
        {"8", "sequences at batch 16 to 256, mean", batched, all, mean, 1.08, 1.15},
        {"8", "sequences at batch 16 to 256, the worst", batched, all, smallest, 1, 0},
        {"8", "sequences at batch 16 to 256, % of peak, the worst", batched, all, peak, 0, 88},
        {"9",
         "training at batch 32, mean",
         {"training: GRU *, batch 32", "training: LSTM [0-9][0-9][0-9], T*, batch 32",
          "training: LSTM 1024, T*, batch 32"},
         all,
         mean,
         1.05,
         1.15},
        {"9", "training at batch 1, the worst", {"training: *, batch 1"}, all, smallest, 1.5, 2},
        {"10",
         "training LSTM 512/256 against PyTorch",
         {"training: LSTM 512/256,*"},
         {"PyTorch"},
         smallest,
         1.25,
         1.45},
        {"11",
         "G-LSTM 512, 4 groups, against PyTorch",
         {"sequence: G-LSTM 512,*"},
         {"PyTorch*"},
         smallest,
         1.8,
         2.1},
        {"11",
         "G-LSTM 256, 8 groups, against PyTorch",
         {"sequence: G-LSTM 256,*"},
         {"PyTorch*"},
         smallest,
         2,
         3},
        {"11",
         "G-LSTM 512, 4 groups, against 4 of oneDNN",
         {"sequence: G-LSTM 512,*"},
         {"oneDNN*"},
         smallest,
         1.1,
         1.3},
        {"11",
         "G-LSTM 256, 8 groups, against 8 of oneDNN",
         {"sequence: G-LSTM 256,*"},
         {"oneDNN*"},
         smallest,
         1.2,
         1.5},
        {"12", "cells: time of a multiplication over the GRU's, mean", cells, gru, mean_cost, 1.15, 1.05},
        {"12", "cells: time of a multiplication over the GRU's, the worst", cells, gru, largest_cost, 1.3, 0},
        {"12b",
         "MGU forward against torch.compile",
         {"sequence: MGU 256,*"},
         {"torch.compile"},
         smallest,
         1.5,
         2},
        {"12b",
         "MGU forward and backward against torch.compile",
         {"training: MGU 256,*"},
         {"torch.compile"},
         smallest,
         1.8,
         3},
        {"12c",
         "minGRU, SRU, IndRNN 512, T 1000, against the best of PyTorch",
         {"sequence: minGRU 512,*", "sequence: SRU 512,*", "sequence: IndRNN 512,*"},
         {"torch eager", "torch.compile"},
         smallest,
         1.35,
         1.6},
        {"13",
         "two threads, T 100, batch 64, 512 units, against one",
         {"sequence on two cores: *"},
         {"sluice, one thread"},
         smallest,
         1.8,
         1.95},
        {"14",
         "char_lm, characters a second against before",
         {"training: char_lm*"},
         {"before"},
         smallest,
         1.8,
         2.5},
        {"15",
         "step 256 with weights of bfloat16, against floats",
         {"step in bfloat16: GRU 256,*"},
         {"weights in float"},
         smallest,
         1.6,
         1.9},
        {"15",
         "step 512 with weights of bfloat16, against floats",
         {"step in bfloat16: GRU 512,*"},
         {"weights in float"},
         smallest,
         1.6,
         1.9},
        {"15",
         "step 1024 with weights of bfloat16, against floats",
         {"step in bfloat16: GRU 1024,*"},
         {"weights in float"},
         smallest,
         2.2,
         2.6},
        {"15",
         "step 256 with weights of int8, against floats",
         {"step in int8: GRU 256,*"},
         {"weights in float"},
         smallest,
         1.7,
         2},
        {"15",
         "step 512 with weights of int8, against floats",
         {"step in int8: GRU 512,*"},
         {"weights in float"},
         smallest,
         1.8,
         2},
        {"15",
         "step 1024 with weights of int8, against floats",
         {"step in int8: GRU 1024,*"},
         {"weights in float"},
         smallest,
         3.2,
         4},
        {"15",
         "T 100, batch 16, with narrow weights, against floats, the worst",
         {"sequence in *"},
         {"weights in float"},
         smallest,
         0.95,
         1.2},
    };
}

bool matches(std::vector<char const*> const& patterns, std::string const& text) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](char const* pattern) { return fnmatch(pattern, text.c_str(), 0) == 0; });
}
bool is_mine(result const& r) {
    return r.library == "sluice" || r.library == "sluice, fixed sizes" || r.library == "sluice, two threads";
}

struct measured {
    double value = 0;
    std::size_t works = 0;
    std::string worst{}; ///< the work, and its best peer
};

std::optional<measured> measure(bar const& b, std::vector<result> const& all, machine const& m) {
    struct pair {
        double mine = 0, peer = 0, flops = 0;
        std::string called{};
    };
    std::map<std::string, pair> works;
    for (result const& r : all)
        if (matches(b.works, r.work)) {
            pair& p = works[r.work];
            if (is_mine(r)) {
                p.mine = r.seconds;
                p.flops = r.flops;
            } else if (matches(b.peers, r.library) && (p.peer == 0 || r.seconds < p.peer)) {
                p.peer = r.seconds;
                p.called = r.library;
            }
        }
    measured found{};
    double sum = 0, lowest = 0;
    for (auto const& [work, p] : works) {
        bool const needs_peer = b.how != number::peak;
        if (p.mine == 0 || (needs_peer && p.peer == 0))
            continue;
        double const value = needs_peer ? p.peer / p.mine : 100 * p.flops / m.flops;
        if (found.works == 0 || value < lowest) {
            lowest = value;
            found.worst = needs_peer ? work + ", " + p.called : work;
        }
        sum += std::log(value);
        ++found.works;
    }
    if (found.works == 0)
        return {};
    double const mean = std::exp(sum / static_cast<double>(found.works));
    found.value = b.how == number::mean           ? mean
                  : b.how == number::mean_cost    ? 1 / mean
                  : b.how == number::largest_cost ? 1 / lowest
                                                  : lowest;
    return found;
}

char const* verdict(bar const& b, double value) {
    bool const is_cost = b.how == number::mean_cost || b.how == number::largest_cost;
    auto const reaches = [&](double wanted) { return is_cost ? value <= wanted : value >= wanted; };
    if (b.must > 0 && !reaches(b.must))
        return "missed";
    if (b.aim > 0)
        return reaches(b.aim) ? (b.must > 0 ? "met, and its aim" : "aim met")
               : b.must > 0   ? "met"
                              : "aim missed";
    return "met";
}

std::string digits(double value) {
    if (value == 0)
        return "-";
    char text[32];
    std::snprintf(text, sizeof text, value < 10 ? "%.2f" : "%.0f", value);
    return text;
}

} // namespace

void print_bars(std::vector<result> const& all, machine const& m) {
    std::printf("\nBars: the best peer's time over ours, unless a line says otherwise; core at %.0f GFLOP/s\n"
                "%-4s %-62s %6s %6s %9s  %s\n",
                m.flops / 1e9, "bar", "work", "must", "aim", "measured", "");
    for (bar const& b : all_bars()) {
        auto const found = measure(b, all, m);
        std::printf("%-4s %-62s %6s %6s %9s  ", b.which, b.text, digits(b.must).c_str(),
                    digits(b.aim).c_str(), found ? digits(found->value).c_str() : "");
        if (found)
            std::printf("%s; of %zu the worst: %s\n", verdict(b, found->value), found->works,
                        found->worst.c_str());
        else
            std::printf("not measured\n");
    }
}

std::string csv_head() {
    return "work;library;microseconds;GFLOP/s;time over that of sluice;difference of the answer\n";
}
std::string csv(result const& r) {
    std::ostringstream line;
    line << r.work << ';' << r.library << ';' << r.seconds * 1e6 << ';' << r.flops / 1e9 << ';' << r.ratio
         << ';' << r.difference << '\n';
    return line.str();
}
std::vector<result> read_csv(std::string const& name) {
    std::ifstream file(name);
    if (!file)
        throw std::runtime_error("the file " + name + " cannot be read; make it, or leave it out");
    std::vector<result> all;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream fields(line);
        std::vector<std::string> one;
        for (std::string field; std::getline(fields, field, ';');)
            one.push_back(field);
        try {
            if (one.size() != 6)
                throw std::runtime_error("it has " + std::to_string(one.size()) + " fields instead of 6");
            auto const number = [&](std::size_t which, char const* what) {
                return number_in<double>(one[which], what, -1e300, 1e300);
            };
            all.push_back({one[0], one[1], number(2, "the time") / 1e6, number(3, "the rate") * 1e9,
                           number(4, "the ratio"), number(5, "the difference")});
        } catch (std::runtime_error const& e) {
            throw std::runtime_error("a line of " + name + " is not as bench_cells writes it, " + e.what() +
                                     ": " + line);
        }
    }
    return all;
}

} // namespace bench
