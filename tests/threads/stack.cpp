// SPDX-License-Identifier: BSL-1.0
// One stack of layers, several threads.
#include <algorithm>
#include <array>
#include <barrier>
#include <doctest/doctest.h>
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>
#include <support/tensors.hpp>
#include <thread>

using namespace support;

TEST_CASE("threads: forward and backward of one stack, as if each were alone; each draw is taken once") {
    using net_type = sluice::stack<sluice::gru, float>;
    constexpr std::size_t threads = 3, rounds = 5;
    sluice::stack_options const how{
        .layers = 2, .direction = sluice::direction::bidirectional, .dropout = 0.5};
    net_type const net({.input = 3, .units = 5}, how, sluice::seed{4});
    auto const xs = random_sequence<float>(5, 3, 3);
    auto const start = net.zero_state(3);
    std::array<std::vector<std::uint64_t>, threads> draws;
    std::array<std::size_t, threads> as_expected{};
    {
        std::barrier ready(std::ptrdiff_t{threads});
        std::vector<std::jthread> all;
        for (std::size_t i = 0; i < threads; ++i)
            all.emplace_back([&, i] {
                ready.arrive_and_wait();
                for (std::size_t round = 0; round < rounds; ++round) {
                    auto const run = unroll(net, xs, start);
                    draws[i].push_back(run.draw);
                    auto const g = backward(net, run, run.outputs);
                    net_type const alone({.input = 3, .units = 5}, how, sluice::seed{4});
                    auto const same = unroll(alone, xs, start, {.draw = run.draw});
                    auto const g_alone = backward(alone, same, same.outputs);
                    auto const copy = net;
                    as_expected[i] +=
                        same_bits(run.outputs, same.outputs) && same_map(run.state, same.state) &&
                        same_bits(g.inputs, g_alone.inputs) &&
                        std::ranges::equal(g.parameters.values(), g_alone.parameters.values()) &&
                        same_bits(infer(copy, xs, start).outputs, infer(net, xs, start).outputs);
                }
            });
    }
    std::vector<std::uint64_t> taken;
    for (std::size_t i = 0; i < threads; ++i) {
        CHECK(as_expected[i] == rounds);
        taken.insert(taken.end(), draws[i].begin(), draws[i].end());
    }
    std::sort(taken.begin(), taken.end());
    for (std::size_t i = 0; i < taken.size(); ++i)
        CHECK(taken[i] == i);
}
