// SPDX-License-Identifier: BSL-1.0
// The golden numbers below are what every compiler, flag and machine must give, to the bit.
#include <doctest/doctest.h>
#include <sluice/parameter/random.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace random_test {

using sluice::random_stream;
using sluice::seed;

namespace {

std::uint64_t bits(double x) {
    return std::bit_cast<std::uint64_t>(x);
}

constexpr std::array<std::uint64_t, 4> first(random_stream numbers) {
    std::array<std::uint64_t, 4> result{};
    for (auto& one : result)
        one = numbers();
    return result;
}

} // namespace

TEST_CASE("random: the generator is xoshiro256**, by its published sequence for the state 1, 2, 3, 4") {
    random_stream numbers(seed{0});
    numbers.set_state({1, 2, 3, 4});
    for (std::uint64_t expected : {std::uint64_t{11520}, std::uint64_t{0}, std::uint64_t{1509978240},
                                   std::uint64_t{1215971899390074240}})
        CHECK(numbers() == expected);
}

TEST_CASE("random: golden integers, at compile time and at run time") {
    constexpr std::array<std::uint64_t, 4> named{0x16327aeef20e76ef, 0xaeb0f90b95bf64e5, 0xc71a92178c6b9981,
                                                 0xbd09ade975728e38};
    constexpr std::array<std::uint64_t, 4> plain{0x1e28178eedbf0f30, 0x32dadb1a9e4a4d08, 0x4ef49088479a6d5c,
                                                 0x03b90a6cd230303e};
    static_assert(first(random_stream(seed{7}, "W_r")) == named);
    static_assert(first(random_stream(seed{})) == plain);
    CHECK(first(random_stream(seed{7}, "W_r")) == named);
    CHECK(first(random_stream(seed{})) == plain);

    random_stream digits(seed{7}, "below");
    for (std::uint64_t expected : {3u, 3u, 7u, 5u, 9u, 3u, 5u, 2u, 3u, 2u, 6u, 1u})
        CHECK(digits.below(10) == expected);
}

TEST_CASE("random: golden bits of uniform and normal numbers") {
    random_stream uniform(seed{7}, "uniform");
    for (std::uint64_t expected :
         {0x3fb0386c7a252f06u, 0x3fa5ec1d2cf18eecu, 0xbfb423ebb03697bau, 0x3fd5032da451b2f8u})
        CHECK(bits(uniform.uniform(-0.3, 0.7)) == expected);

    random_stream normal(seed{7}, "normal");
    for (std::uint64_t expected :
         {0x3fba0b42385df028u, 0x3fd63e2e06be01a0u, 0xbf9835b4b7d6a240u, 0xbfcf41c9601a8fd8u})
        CHECK(bits(normal.normal()) == expected);
    for (std::uint64_t expected :
         {0xbfb455b864ef8823u, 0x3fe5619dea3d5fccu, 0x3fc84de44a729bd8u, 0x3fa72cb23ba3f974u})
        CHECK(bits(normal.normal(0.1, 0.3)) == expected);

    static_assert(random_stream(seed{7}, "normal").normal() == std::bit_cast<double>(0x3fba0b42385df028u));
}

TEST_CASE("random: a stream depends on the seed and on its name") {
    std::set<std::uint64_t> firsts;
    for (std::uint64_t value = 0; value < 100; ++value)
        for (auto const* name : {"", "W_r", "W_u", "R_r", "b_r"})
            firsts.insert(random_stream(seed{value}, name)());
    CHECK(firsts.size() == 500);
}

TEST_CASE("random: the state can be read, restored and visited") {
    random_stream numbers(seed{3}, "dropout");
    numbers();
    auto const state = numbers.state();
    auto const expected = first(numbers);

    random_stream other(seed{4});
    other.set_state(state);
    CHECK(first(other) == expected);

    random_stream third(seed{5});
    std::vector<std::uint64_t> stored;
    numbers.visit_tensors([&](std::string_view name, auto shape, std::span<std::uint64_t const> values) {
        CHECK(name == "state");
        CHECK(shape.size() == 1);
        CHECK(shape[0] == 4);
        stored.assign(values.begin(), values.end());
    });
    third.visit_tensors([&](std::string_view, auto, std::span<std::uint64_t> values) {
        std::copy(stored.begin(), stored.end(), values.begin());
    });
    CHECK(third == numbers);

    CHECK_THROWS_WITH_AS(third.set_state({}), doctest::Contains("all zeros"), std::invalid_argument);
    CHECK_THROWS_AS(third.visit_tensors([](std::string_view, auto, std::span<std::uint64_t> values) {
        std::fill(values.begin(), values.end(), std::uint64_t{0});
    }),
                    std::invalid_argument);
    CHECK(third == numbers);
}

TEST_CASE("random: below gives every value equally often and nothing else") {
    random_stream numbers(seed{11});
    std::array<int, 6> counts{};
    for (int i = 0; i < 60000; ++i)
        ++counts.at(numbers.below(6));
    double chi_square = 0;
    for (int count : counts)
        chi_square += (count - 10000.0) * (count - 10000.0) / 10000.0;
    CHECK(chi_square < 20.5); // five degrees of freedom: 0.1 % is above it
    CHECK(numbers.below(1) == 0);
    CHECK_THROWS_AS(numbers.below(0), std::invalid_argument);
}

TEST_CASE("random: below is even where 2^64 is no multiple of a large bound") {
    random_stream numbers(seed{11});
    constexpr std::uint64_t quarter = std::uint64_t{1} << 62;
    std::array<int, 3> thirds{};
    for (int i = 0; i < 3000; ++i)
        ++thirds.at(numbers.below(3 * quarter) / quarter);
    for (int count : thirds)
        CHECK(std::abs(count - 1000) < 4 * 26); // four standard deviations
}

TEST_CASE("random: units lie in their intervals and on their grid") {
    random_stream numbers(seed{12});
    for (int i = 0; i < 10000; ++i) {
        double const u = numbers.unit();
        CHECK((u >= 0 && u < 1 && u * 0x1p53 == std::floor(u * 0x1p53)));
        double const s = numbers.symmetric_unit();
        CHECK((s > -1 && s < 1 && s != 0 && std::fmod(s * 0x1p53, 2) != 0));
    }
}

TEST_CASE("random: uniform keeps its bounds, also extreme ones") {
    random_stream numbers(seed{13});
    constexpr double huge = std::numeric_limits<double>::max();
    double const next = std::nextafter(1.0, 2.0);
    for (int i = 0; i < 1000; ++i) {
        CHECK(std::isfinite(numbers.uniform(-huge, huge)));
        double const narrow = numbers.uniform(1.0, next);
        CHECK((narrow == 1.0 || narrow == next));
        CHECK(numbers.uniform(0.25, 0.25) == 0.25);
    }
    double const nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(numbers.uniform(1, 0), std::invalid_argument);
    CHECK_THROWS_AS(numbers.uniform(nan, 0), std::invalid_argument);
    CHECK_THROWS_AS(numbers.uniform(0, std::numeric_limits<double>::infinity()), std::invalid_argument);
    CHECK_THROWS_AS(numbers.normal(0, -1), std::invalid_argument);
    CHECK_THROWS_AS(numbers.normal(nan, 1), std::invalid_argument);
    CHECK(numbers.normal(5, 0) == 5);
}

TEST_CASE("random: bernoulli") {
    random_stream numbers(seed{14});
    int hits = 0;
    for (int i = 0; i < 100000; ++i) {
        hits += numbers.bernoulli(0.3);
        CHECK_FALSE(numbers.bernoulli(0));
        CHECK(numbers.bernoulli(1));
    }
    CHECK(std::abs(hits - 30000) < 600); // four standard deviations
    CHECK_THROWS_AS(numbers.bernoulli(1.5), std::invalid_argument);
    CHECK_THROWS_AS(numbers.bernoulli(std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
}

TEST_CASE("random: normal numbers follow the normal distribution") {
    random_stream numbers(seed{15});
    constexpr int count = 200000;
    std::array<double, 4> moment{};
    double largest_gap = 0; // Kolmogorov-Smirnov
    std::vector<double> all;
    for (int i = 0; i < count; ++i) {
        double const z = numbers.normal();
        all.push_back(z);
        for (std::size_t k = 0; k < 4; ++k)
            moment[k] += std::pow(z, static_cast<double>(k + 1)) / count;
    }
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i) {
        double const below = 0.5 * std::erfc(-all[i] / std::sqrt(2.0));
        largest_gap = std::max(largest_gap, std::abs(below - (static_cast<double>(i) + 0.5) / count));
    }
    double const unit = 1 / std::sqrt(static_cast<double>(count));
    CHECK(std::abs(moment[0]) < 4 * unit);
    CHECK(std::abs(moment[1] - 1) < 4 * std::sqrt(2.0) * unit);
    CHECK(std::abs(moment[2]) < 4 * std::sqrt(15.0) * unit);
    CHECK(std::abs(moment[3] - 3) < 4 * std::sqrt(96.0) * unit);
    CHECK(largest_gap < 1.95 * unit); // 0.1 % is above it
    CHECK(all.back() > 4);
}

} // namespace random_test
