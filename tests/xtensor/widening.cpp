// SPDX-License-Identifier: BSL-1.0
// Batches of half and bfloat16, to the bit those of core/half.hpp: every number of 16 bits, floats at and
// beside each number half of the way between two, and random bits; with denormals flushed, too.
#include <sluice/xtensor/simd/widening.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <sluice/xtensor/denormals.hpp>
#include <vector>

namespace widening_test {

using sluice::bfloat16, sluice::half, sluice::xtensor::simd, sluice::xtensor::stored;

/// A float, kept in hundredths.
struct hundredth {
    hundredth() = default;
    explicit hundredth(float number) : count(static_cast<short>(std::lround(number * 100))) {}
    explicit operator float() const { return static_cast<float>(count) / 100; }
    short count = 0;
};

namespace {

template <class S>
S of_bits(std::uint32_t bits) {
    return std::bit_cast<S>(static_cast<std::uint16_t>(bits));
}
template <class S>
std::uint16_t bits(S const& number) {
    return std::bit_cast<std::uint16_t>(number);
}
template <class S>
bool is_same(S const& a, S const& b) {
    return bits(a) == bits(b);
}
bool is_same(float a, float b, bool quiets) {
    std::uint32_t const quiet = quiets && std::isnan(b) ? 0x400000 : 0;
    return std::bit_cast<std::uint32_t>(a) == (std::bit_cast<std::uint32_t>(b) | quiet);
}

/// How numbers of a type are converted: by the batches of this machine, or by words of so many lanes.
template <class S>
struct by_batches {
    using scalar = S;
    static constexpr std::size_t lanes = simd<float>::lanes;
#ifdef __F16C__
    static constexpr bool quiets = std::is_same_v<S, half>;
#else
    static constexpr bool quiets = false;
#endif
    static void widen(S const* from, float* to) {
        simd<float>::store(stored<S>::load(from), to);
    }
    static void round(float const* from, S* to) {
        stored<S>::store(simd<float>::load(from), to);
    }
};
template <std::size_t Lanes>
struct by_words {
    using scalar = half;
    using words = sluice::xtensor::detail::half_words<Lanes>;
    static constexpr std::size_t lanes = Lanes;
    static constexpr bool quiets = false;
    static void widen(half const* from, float* to) {
        auto const all = words::floats_by_words(words::with::load(from));
        std::memcpy(to, &all, sizeof all);
    }
    static void round(float const* from, half* to) {
        typename words::floats all;
        std::memcpy(&all, from, sizeof all);
        words::with::store(words::rounded_by_words(all), to);
    }
};

/// Each number half of the way between two, those beside it, and random bits.
template <class S>
std::vector<float> hard_numbers() {
    std::vector<float> all;
    for (std::uint32_t i = 0; i < 0x10000; ++i) {
        auto const here = static_cast<float>(of_bits<S>(i));
        auto const next = static_cast<float>(of_bits<S>((i & 0x7fff) == 0x7fff ? i : i + 1));
        auto const between = static_cast<float>((static_cast<double>(here) + static_cast<double>(next)) / 2);
        for (float const number : {here, between})
            for (float const to :
                 {-std::numeric_limits<float>::infinity(), number, std::numeric_limits<float>::infinity()})
                all.push_back(std::nextafter(number, to));
    }
    std::mt19937 random(7);
    for (int i = 0; i < 1 << 18; ++i)
        all.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    for (std::uint32_t const special :
         {0x7f800000u, 0xff800000u, 0x7f800001u, 0xffffffffu, 0x7fc00000u, 0u, 0x80000000u, 1u, 0x007fffffu,
          0x7f7fffffu, 0x477fefffu, 0x477ff000u, 0x387fffffu, 0x38800000u, 0x33000000u, 0x33000001u})
        all.push_back(std::bit_cast<float>(special));
    return all;
}

template <class With>
void check_all() {
    using S = typename With::scalar;
    std::array<S, With::lanes> kept;
    std::array<float, With::lanes> wide;
    std::size_t wrong = 0;
    for (std::uint32_t first = 0; first < 0x10000; first += With::lanes) {
        for (std::size_t i = 0; i < With::lanes; ++i)
            kept[i] = of_bits<S>(first + static_cast<std::uint32_t>(i));
        With::widen(kept.data(), wide.data());
        for (std::size_t i = 0; i < With::lanes; ++i)
            wrong += !is_same(wide[i], static_cast<float>(kept[i]), With::quiets);
    }
    CHECK(wrong == 0);
    std::vector<float> numbers = hard_numbers<S>();
    numbers.resize((numbers.size() + With::lanes - 1) / With::lanes * With::lanes);
    for (std::size_t first = 0; first < numbers.size(); first += With::lanes) {
        With::round(numbers.data() + first, kept.data());
        for (std::size_t i = 0; i < With::lanes; ++i)
            wrong += !is_same(kept[i], S(numbers[first + i]));
    }
    CHECK(wrong == 0);
}

} // namespace

} // namespace widening_test

template <>
struct sluice::arithmetic<widening_test::hundredth> {
    using type = float;
    static constexpr double largest = 327.67;
};

namespace widening_test {

TEST_CASE_TEMPLATE("widening: numbers of 16 bits are widened and rounded as one by one, to the bit", With,
                   by_batches<bfloat16>, by_batches<half>, by_words<4>, by_words<simd<float>::lanes>) {
    check_all<With>();
    sluice::xtensor::flushed_denormals const session;
    check_all<With>();
}

TEST_CASE_TEMPLATE("widening: so many numbers, and none behind them", S, bfloat16, half, hundredth) {
    for (std::size_t const count : {0u, 1u, 3u, 4u, 7u, 15u, 16u, 17u, 31u, 33u, 63u, 130u}) {
        std::vector<float> from(count + 1), back(count + 1, 77.f);
        for (std::size_t i = 0; i < count; ++i)
            from[i] = static_cast<float>(static_cast<int>(i) - 20) * 0.37f;
        std::vector<S> kept(count + 1, S(77.f));
        sluice::xtensor::round_n(from.data(), count, kept.data());
        sluice::xtensor::widen_n(kept.data(), count, back.data());
        for (std::size_t i = 0; i < count; ++i)
            CHECK(back[i] == static_cast<float>(S(from[i])));
        CHECK(static_cast<float>(kept[count]) == 77.f);
        CHECK(back[count] == 77.f);
    }
}

} // namespace widening_test
