// SPDX-License-Identifier: BSL-1.0
// What a step of a training takes on several ranks, and what its parts take, in milliseconds, as JSON:
//
//   mpirun -np 2 bench_ranks [ROUNDS]
//
//   of a transport   all_reduce of so many numbers, of which each rank has one array
//   of a net         a step (forward, loss, backward, sum, optimiser) of a batch of so many micro-batches for
//                    each rank: of each rank alone; with the sum over ranks after backward; with one
//                    that begins early; with one that has a courier, too. Flops of a micro-batch: 2 for
//                    each weight, step and row, forward and twice back.
//
// Works take turns, and all ranks begin each together; medians of rank 0. tests/bench/ranks/run starts it.
#include "../cells/numbers.hpp"
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/distributed/alone.hpp>
#include <sluice/distributed/gradient_sum.hpp>
#include <sluice/mpi.hpp>
#include <sluice/xtensor.hpp>
#include <string>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;
constexpr std::size_t time_steps = 32, rows = 8;

struct work {
    std::string name;
    std::function<void()> run;
    std::vector<double> times{};
};

double median(std::vector<double> times) {
    std::ranges::sort(times);
    return times[times.size() / 2];
}

void meet(sluice::transport& all) {
    std::vector<float> nothing(1);
    all.fast_sum(std::span(nothing));
}

/// Each work once in every round.
void measure(sluice::transport& all, std::vector<work>& works, std::size_t rounds) {
    for (std::size_t round = 0; round <= rounds; ++round)
        for (work& one : works) {
            meet(all);
            auto const start = clock_type::now();
            one.run();
            std::chrono::duration<double, std::milli> const took = clock_type::now() - start;
            if (round > 0) // the first warms up
                one.times.push_back(took.count());
        }
}

void print(sluice::transport const& all, std::string const& head, std::vector<work> const& works) {
    if (all.rank() != 0)
        return;
    static bool is_first = true;
    std::printf("%s  {%s", is_first ? "" : ",\n", head.c_str());
    is_first = false;
    for (work const& one : works)
        std::printf(", \"%s\": %.4f", one.name.c_str(), median(one.times));
    std::printf("}");
    std::fflush(stdout);
}

void transport_alone(sluice::transport& all, std::size_t rounds) {
    for (std::size_t const count : {1u, 1u << 10, 1u << 14, 1u << 18, 1u << 21, 10'000'000u}) {
        sluice::sum_tree const tree{static_cast<std::size_t>(all.size()), all.size()};
        std::vector<float> const node(count, 1.f);
        std::vector<float> sum(count);
        std::vector<work> works{{"all_reduce", [&] { all.all_reduce(tree, node, std::span(sum)); }}};
        measure(all, works, count < 100000 ? 20 * rounds : rounds);
        print(all, "\"numbers\": " + std::to_string(count), works);
    }
}

/// A whole step on each rank, of so many micro-batches of its own.
template <class Page>
void training(sluice::transport& all, std::size_t rounds, char const* name, std::size_t units,
              std::size_t layers, std::size_t parts) {
    sluice::stack<Page> net({.input = units, .units = units}, {.layers = layers}, sluice::seed{3});
    sluice::adam optimizer(net, {.learning_rate = 1e-6});
    auto const xs = xt::xtensor<float, 3>(0.1f * xt::ones<float>({time_steps, rows, units}));
    auto gradients = net.zero_parameters();
    std::size_t const batch = rows * parts * static_cast<std::size_t>(all.size());
    sluice::alone nobody;
    sluice::gradient_sum own(nobody, rows * parts, rows, net);
    sluice::gradient_sum plain(all, batch, rows, net);
    sluice::gradient_sum carried(all, {.courier = std::chrono::microseconds(200)}, batch, rows, net);

    auto const step = [&](auto& sum, bool early) {
        for (std::size_t part = 0; part < parts; ++part) {
            auto const run = unroll(net, xs);
            auto const loss = sluice::mean_squared_error(run.outputs, xs);
            sluice::backward_options<float> options{.inputs = false};
            if (early)
                options.ready = sum.early(rows);
            sum.add(rows, loss.value, backward(net, run, loss.gradient, options).parameters);
        }
        sum.all_reduce(gradients);
        optimizer.step(net, gradients);
    };
    std::vector<work> works{{"alone", [&] { step(own, false); }},
                            {"after", [&] { step(plain, false); }},
                            {"early", [&] { step(plain, true); }},
                            {"courier", [&] { step(carried, true); }}};
    measure(all, works, rounds);
    std::size_t const flops = 6 * net.parameter_count() * time_steps * rows;
    print(all,
          "\"net\": \"" + std::string(name) + "\", \"parameters\": " + std::to_string(net.parameter_count()) +
              ", \"micro_batches\": " + std::to_string(parts) + ", \"flops\": " + std::to_string(flops),
          works);
}

} // namespace

int main(int count, char** words) {
    sluice::mpi::process const process(count, words);
    sluice::mpi::transport all;
    std::size_t const rounds =
        count > 1 ? bench::number_in<std::size_t>(words[1], "the number of rounds", 1, 1000) : 9;
    if (all.rank() == 0)
        std::printf("{\"transport\": \"%s\", \"ranks\": %d, \"measured\": [\n",
                    std::string(all.name()).c_str(), all.size());
    transport_alone(all, rounds);
    for (std::size_t const parts : {1u, 3u}) {
        training<sluice::gru>(all, rounds, "GRU 128 x 2", 128, 2, parts);
        training<sluice::lstm>(all, rounds, "LSTM 256 x 3", 256, 3, parts);
        training<sluice::lstm>(all, rounds, "LSTM 512 x 4", 512, 4, parts);
    }
    if (all.rank() == 0)
        std::printf("\n]}\n");
    return 0;
}
