// SPDX-License-Identifier: BSL-1.0
// What a file sees and links that leaves the rest to the compiled runtime: no header of intrinsics, which
// would take the compiler longer than most of such a file, and the bodies of long functions all the same.
#include <sluice/xtensor.hpp>

#if defined XSIMD_HPP || defined _IMMINTRIN_H_INCLUDED || defined __IMMINTRIN_H
constexpr bool sees_intrinsics = true;
#else
constexpr bool sees_intrinsics = false;
#endif

#include <array>
#include <cmath>
#include <doctest/doctest.h>

namespace runtime_test {

#ifdef SLUICE_RUNTIME
static_assert(!sees_intrinsics);
#else
static_assert(sees_intrinsics, "the names of their guards are others now");
#endif

namespace {

/// sin, which is in the runtime, of each width down to 16 bytes.
template <class S, std::size_t Lanes>
void check_sine() {
    CAPTURE(Lanes);
    std::array<S, Lanes> y;
    sin(sluice::xtensor::batch<S, Lanes>(S(0.5))).store(y.data());
    CHECK(y.back() == doctest::Approx(std::sin(0.5)));
    if constexpr (Lanes * sizeof(S) > 16)
        check_sine<S, Lanes / 2>();
}

} // namespace

TEST_CASE_TEMPLATE("runtime: functions of batches of every width are in it", S, float, double) {
    check_sine<S, sluice::xtensor::widest<S>>();
}

} // namespace runtime_test
