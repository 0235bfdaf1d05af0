// SPDX-License-Identifier: BSL-1.0
// Storage of 16 bits: each of its numbers is itself, and floats between two of them are rounded to the
// nearest.
#include <bit>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/core/half.hpp>
#include <support/both.hpp>

namespace half_test {

using sluice::bfloat16, sluice::half;

namespace {

template <class S>
constexpr std::uint16_t bits(S number) {
    return std::bit_cast<std::uint16_t>(number);
}

} // namespace

TEST_CASE("half: two bytes, which constants are made of too") {
    BOTH(sizeof(bfloat16) == 2);
    BOTH(sizeof(half) == 2);
    BOTH(bits(half(1.f)) == 0x3c00);
    BOTH(bits(bfloat16(1.f)) == 0x3f80);
    BOTH(static_cast<float>(half(0.5f)) == 0.5f);
    BOTH(static_cast<float>(half(-0x1p-24f)) == -0x1p-24f);
    BOTH(sluice::arithmetic<half>::largest == 65504);
    BOTH(static_cast<float>(bfloat16(static_cast<float>(sluice::arithmetic<bfloat16>::largest))) ==
         0x1.fep127f);
}

TEST_CASE("half: a float is rounded to the nearest of 16 bits, of two to the even one") {
    CHECK(bits(bfloat16(1.f)) == 0x3f80);
    CHECK(bits(bfloat16(0x1.01p0f)) == 0x3f80); // half of the way, down to even
    CHECK(bits(bfloat16(0x1.03p0f)) == 0x3f82); // and up
    CHECK(bits(bfloat16(0x1.010002p0f)) == 0x3f81);
    CHECK(bits(bfloat16(-0.f)) == 0x8000);
    CHECK(bits(bfloat16(0x1p-133f)) == 0x0001); // the smallest
    CHECK(bits(bfloat16(0x1p-134f)) == 0x0000);
    CHECK(bits(bfloat16(0x1.fep127f)) == 0x7f7f);
    CHECK(bits(bfloat16(std::numeric_limits<float>::max())) == 0x7f80); // infinity
    CHECK(bits(bfloat16(-std::numeric_limits<float>::infinity())) == 0xff80);
    for (std::uint32_t const nan : {0x7f800001u, 0x7fffffffu, 0xff800001u, 0xffffffffu}) {
        auto const back = static_cast<float>(bfloat16(std::bit_cast<float>(nan)));
        CHECK(back != back);
    }
    for (std::uint32_t i = 0; i < 0x10000; ++i) // each is itself, but for the quiet bit of a NaN
        if (float const number = std::bit_cast<float>(i << 16); number == number)
            CHECK(bits(bfloat16(number)) == i);
}

TEST_CASE("half: every half is itself, and a float between two is rounded to the nearer, of two as near to "
          "the even one") {
    CHECK(bits(half(-0.f)) == 0x8000);
    CHECK(static_cast<float>(half(65504.f)) == 65504.f);
    CHECK(static_cast<float>(half(0x1p-24f)) == 0x1p-24f);
    float const infinity = std::numeric_limits<float>::infinity();
    CHECK(static_cast<float>(half(65520.f)) == infinity); // half of the way to 2^16
    CHECK(static_cast<float>(half(std::nextafter(65520.f, 0.f))) == 65504.f);
    CHECK(static_cast<float>(half(-std::numeric_limits<float>::max())) == -infinity);
    CHECK(bits(half(0x1p-25f)) == 0);
    CHECK(bits(half(std::nextafter(0x1p-25f, 1.f))) == 1);
    CHECK(bits(half(std::numeric_limits<float>::denorm_min())) == 0);
    for (std::uint32_t const nan : {0x7f800001u, 0x7fffffffu, 0xff800001u, 0xffffffffu}) {
        auto const back = static_cast<float>(half(std::bit_cast<float>(nan)));
        CHECK(back != back);
    }
    int wrong = 0;
    for (std::uint32_t i = 0; i < 0x7c00; ++i) {
        auto const value = [](std::uint32_t of) {
            return of == 0x7c00 ? 65536.f
                                : static_cast<float>(std::bit_cast<half>(static_cast<std::uint16_t>(of)));
        };
        float const low = value(i), high = value(i + 1), middle = (low + high) / 2;
        for (float const sign : {1.f, -1.f}) {
            auto const rounds = [&](float number) { return bits(half(sign * number)) & 0x7fffu; };
            wrong += !(low < high) || bits(half(sign * low)) != (i | (sign < 0 ? 0x8000u : 0u));
            wrong += rounds(middle) != i + i % 2;
            wrong +=
                rounds(std::nextafter(middle, 0.f)) != i || rounds(std::nextafter(middle, high)) != i + 1;
        }
    }
    CHECK(wrong == 0);
}

} // namespace half_test
