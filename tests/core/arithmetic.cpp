// SPDX-License-Identifier: BSL-1.0
// Storage and arithmetic of numbers.
#include <bit>
#include <cstdint>
#include <doctest/doctest.h>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/half.hpp>

namespace arithmetic_test {

using sluice::bfloat16, sluice::half;

namespace {

template <class S>
constexpr std::uint16_t bits(S number) {
    return std::bit_cast<std::uint16_t>(number);
}

/// Has no arithmetic of its own, and none is said.
struct unknown {};

static_assert(sluice::storage_scalar<float> && sluice::storage_scalar<double> &&
              sluice::storage_scalar<bfloat16> && sluice::storage_scalar<half>);
static_assert(!sluice::storage_scalar<int> && !sluice::storage_scalar<long double> &&
              !sluice::storage_scalar<unknown>);
static_assert(sluice::is_own_arithmetic<float> && sluice::is_own_arithmetic<double>);
static_assert(!sluice::is_own_arithmetic<bfloat16>);
static_assert(std::is_same_v<sluice::arithmetic_of<bfloat16 const>, float>);

} // namespace

TEST_CASE("arithmetic: what is computed is rounded to arithmetic, and that to storage") {
    CHECK(sluice::rounded<float>(0.1) == 0.1f);
    CHECK(sluice::rounded<double>(0.1) == 0.1);
    CHECK(bits(sluice::rounded<bfloat16>(0.1)) == bits(bfloat16(0.1f)));
    CHECK(sluice::widened(bfloat16(3.f)) == 3.f);
    CHECK(sluice::in_double(bfloat16(3.f)) == 3.);
}

} // namespace arithmetic_test
