// SPDX-License-Identifier: BSL-1.0
// Batches of numbers that are kept as they are computed with: at any address of a number. Those of fewer
// digits are in widening.cpp.
#include <sluice/xtensor/simd/stored.hpp>

#include <array>
#include <doctest/doctest.h>

namespace stored_test {

using sluice::xtensor::simd, sluice::xtensor::stored;

TEST_CASE_TEMPLATE("stored: float and double are loaded and stored as they are", S, float, double) {
    constexpr std::size_t lanes = simd<S>::lanes;
    std::array<S, lanes + 2> from, to;
    to.fill(S(77));
    for (std::size_t i = 0; i < from.size(); ++i)
        from[i] = S(i) / S(3);
    stored<S>::store(stored<S>::load(from.data() + 1), to.data() + 1);
    CHECK(to.front() == S(77));
    CHECK(to.back() == S(77));
    for (std::size_t i = 1; i <= lanes; ++i)
        CHECK(to[i] == from[i]);
}

} // namespace stored_test
