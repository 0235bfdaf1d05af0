// SPDX-License-Identifier: BSL-1.0
// Storage and arithmetic of numbers, and storage of 16 bits.
#include <bit>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/half.hpp>
#include <sluice/core/xtensor.hpp>

using sluice::bfloat16, sluice::half;

namespace {

template <class S>
constexpr std::uint16_t bits(S number) {
    return std::bit_cast<std::uint16_t>(number);
}

/// Has no arithmetic of its own, and nobody says another.
struct unknown {};

static_assert(sizeof(bfloat16) == 2 && sizeof(half) == 2);
static_assert(bits(half(1.f)) == 0x3c00 && bits(bfloat16(1.f)) == 0x3f80 &&
              static_cast<float>(half(0.5f)) == 0.5f);
static_assert(sluice::storage_scalar<float> && sluice::storage_scalar<double> &&
              sluice::storage_scalar<bfloat16> && sluice::storage_scalar<half>);
static_assert(!sluice::storage_scalar<int> && !sluice::storage_scalar<long double> &&
              !sluice::storage_scalar<unknown>);
static_assert(sluice::is_own_arithmetic<float> && sluice::is_own_arithmetic<double>);
static_assert(!sluice::is_own_arithmetic<bfloat16>);
static_assert(std::is_same_v<sluice::arithmetic_of<bfloat16 const>, float>);

} // namespace

TEST_CASE("arithmetic: a float is rounded to the nearest of 16 bits, of two to the even one") {
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

TEST_CASE("arithmetic: every half is itself, and a float between two is rounded to the nearer, of two as "
          "near to the "
          "even one") {
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

TEST_CASE("arithmetic: what is computed is rounded to arithmetic, and that to storage") {
    CHECK(sluice::rounded<float>(0.1) == 0.1f);
    CHECK(sluice::rounded<double>(0.1) == 0.1);
    CHECK(bits(sluice::rounded<bfloat16>(0.1)) == bits(bfloat16(0.1f)));
    CHECK(sluice::widened(bfloat16(3.f)) == 3.f);
    CHECK(sluice::in_double(bfloat16(3.f)) == 3.);
}

TEST_CASE(
    "arithmetic: tensors are converted as a whole, and those that need not be are left where they are") {
    xt::xtensor<float, 1> const numbers{1.f, 0.1f, -2.f};
    xt::xtensor<bfloat16, 1> const kept = sluice::rounded_tensor<bfloat16>(numbers);
    xt::xtensor<bfloat16, 1> const from_double =
        sluice::rounded_tensor<bfloat16>(xt::xtensor<double, 1>{0.1});
    xt::xtensor<float, 1> const back = sluice::widened_tensor(kept);
    CHECK(bits(kept(1)) == bits(bfloat16(0.1f)));
    CHECK(bits(from_double(0)) == bits(bfloat16(0.1f)));
    CHECK(back(2) == -2.f);
    CHECK(back(1) == static_cast<float>(bfloat16(0.1f)));
    CHECK(&sluice::widened_tensor(numbers) == &numbers);
    CHECK(&sluice::rounded_tensor<float>(numbers) == &numbers);
    CHECK(&sluice::rounded_tensor<bfloat16>(kept) == &kept);
}
