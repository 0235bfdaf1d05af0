// SPDX-License-Identifier: BSL-1.0
#include "machine.hpp"
#include <algorithm>
#include <chrono>
#include <xsimd/xsimd.hpp>

namespace bench {

namespace {

using clock = std::chrono::steady_clock;

template <class Call>
double seconds_of(std::size_t count, Call const& call) {
    auto const start = clock::now();
    for (std::size_t i = 0; i < count; ++i)
        call();
    return std::chrono::duration<double>(clock::now() - start).count();
}

using batch = xsimd::batch<float>;
constexpr std::size_t lanes = batch::size;
constexpr std::size_t chains = 12; // more than two units of four cycles each need

/// 2 chains lanes operations for each of `count` turns; the chains begin with different numbers.
[[gnu::noinline]] float multiply_and_add(std::size_t count, float times, float plus) {
    batch sums[chains];
    for (std::size_t k = 0; k < chains; ++k)
        sums[k] = batch(static_cast<float>(k));
    batch const a(times), b(plus);
    for (std::size_t i = 0; i < count; ++i)
        for (auto& sum : sums)
            sum = xsimd::fma(sum, a, b);
    batch all(0.f);
    for (auto const& sum : sums)
        all += sum;
    return xsimd::hadd(all);
}
[[gnu::noinline]] float add_up(float const* numbers, std::size_t count) {
    batch sums[8];
    for (auto& sum : sums)
        sum = batch(0.f);
    constexpr std::size_t step = 8 * lanes;
    for (std::size_t i = 0; i + step <= count; i += step)
        for (std::size_t k = 0; k < 8; ++k)
            sums[k] += batch::load_aligned(numbers + i + k * lanes);
    batch all(0.f);
    for (auto const& sum : sums)
        all += sum;
    return xsimd::hadd(all);
}

volatile float kept = 0; ///< so that nothing is left out

} // namespace

void machine::measure_flops() {
    constexpr std::size_t turns = 350'000;
    double const taken = seconds_of(1, [] { kept = multiply_and_add(turns, 0.999f, 0.001f); });
    flops = std::max(flops, 2. * chains * lanes * turns / taken);
}

void machine::measure_reads() {
    std::size_t place = 0;
    for (std::size_t const kilobytes : {16u, 256u, 1024u, 8192u, 262144u}) {
        std::size_t const bytes = kilobytes * 1024;
        if (reads.size() == place)
            reads.emplace_back(bytes, 0.);
        std::vector<float, xsimd::default_allocator<float>> numbers(bytes / sizeof(float), 1.f);
        std::size_t const calls = std::max<std::size_t>(1, (std::size_t(32) << 20) / bytes);
        for (int round = 0; round < 5; ++round) {
            double const taken = seconds_of(calls, [&] { kept = add_up(numbers.data(), numbers.size()); });
            reads[place].second = std::max(reads[place].second, static_cast<double>(bytes * calls) / taken);
        }
        ++place;
    }
}

double machine::read_rate(double bytes) const {
    for (auto const& [size, rate] : reads)
        if (bytes <= static_cast<double>(size))
            return rate;
    return reads.back().second;
}

machine measure_machine() {
    machine m;
    for (int round = 0; round < 20; ++round)
        m.measure_flops();
    m.measure_reads();
    return m;
}

} // namespace bench
