// SPDX-License-Identifier: BSL-1.0
// Storage and arithmetic of numbers, and the 16-bit storage of the tests.
#include <bit>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/xtensor.hpp>
#include <support/bfloat16.hpp>

using support::bfloat16;

namespace {

std::uint16_t bits(bfloat16 number) {
    return std::bit_cast<std::uint16_t>(number);
}

/// Has no arithmetic of its own, and nobody says another.
struct unknown {};

static_assert(sizeof(bfloat16) == 2);
static_assert(sluice::storage_scalar<float> && sluice::storage_scalar<double> &&
              sluice::storage_scalar<bfloat16>);
static_assert(!sluice::storage_scalar<int> && !sluice::storage_scalar<long double> &&
              !sluice::storage_scalar<unknown>);
static_assert(sluice::is_own_arithmetic<float> && sluice::is_own_arithmetic<double>);
static_assert(!sluice::is_own_arithmetic<bfloat16>);
static_assert(std::is_same_v<sluice::arithmetic_of<bfloat16 const>, float>);

} // namespace

TEST_CASE("a float is rounded to the nearest of 16 bits, of two to the even one") {
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

TEST_CASE("what is computed is rounded to arithmetic, and that to storage") {
    CHECK(sluice::rounded<float>(0.1) == 0.1f);
    CHECK(sluice::rounded<double>(0.1) == 0.1);
    CHECK(bits(sluice::rounded<bfloat16>(0.1)) == bits(bfloat16(0.1f)));
    CHECK(sluice::widened(bfloat16(3.f)) == 3.f);
    CHECK(sluice::in_double(bfloat16(3.f)) == 3.);
}

TEST_CASE("tensors are converted as a whole, and those that need not be are left where they are") {
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
