// SPDX-License-Identifier: BSL-1.0
// Cells compiled for several instruction sets in one program: each runs on its own, and they agree.
#include "networks.hpp"
#include <cmath>
#include <doctest/doctest.h>
#include <sluice/xtensor/simd/instruction_sets.hpp>

namespace instruction_sets_test {

using sluice::xtensor::instruction_set;

double distance(std::vector<double> const& a, std::vector<double> const& b) {
    REQUIRE(a.size() == b.size());
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        most = std::max(most, std::abs(a[i] - b[i]) / (1 + std::abs(b[i])));
    return std::isnan(most) ? HUGE_VAL : most;
}

void compare(run_function* expected, run_function* other, std::size_t lanes) {
    for (bool const in_double : {false, true})
        for (std::size_t const units : {1u, 13u, 37u, 67u})
            for (std::size_t const batch : {1u, 6u, 13u}) {
                results const a = expected(in_double, units, batch), b = other(in_double, units, batch);
                double const tolerance = in_double ? 1e-12 : 2e-5;
                CAPTURE(units);
                CAPTURE(batch);
                CHECK(b.lanes == lanes);
                CHECK(distance(b.outputs, a.outputs) < tolerance);
                CHECK(distance(b.gradients, a.gradients) < tolerance);
            }
}

/// The rows that are multiplied are whole numbers of 12 bits or more.
void compare_narrow(narrow_function* other, std::size_t lanes) {
    for (std::size_t const units : {1u, 37u, 67u})
        for (std::size_t const batch : {1u, 13u}) {
            results const a = for_x86_64::run_int8(units, batch), b = other(units, batch);
            CAPTURE(units);
            CAPTURE(batch);
            CHECK(b.lanes == lanes);
            CHECK(distance(b.outputs, a.outputs) < 2e-3);
        }
}

#ifdef __x86_64__
TEST_CASE("instruction sets: cells compiled for each instruction set agree in one program") {
    instruction_set const widest = sluice::xtensor::instruction_set_of_this_processor();
    CHECK(for_x86_64::run_gru(false, 13, 2).lanes == 4);
    if (widest >= instruction_set::avx2) {
        compare(&for_x86_64::run_gru, &for_avx2::run_gru, 8);
        compare(&for_x86_64::run_lstm, &for_avx2::run_lstm, 8);
        compare_narrow(&for_avx2::run_int8, 8);
    }
    if (widest >= instruction_set::avx512) {
        compare(&for_x86_64::run_gru, &for_avx512::run_gru, 16);
        compare(&for_x86_64::run_lstm, &for_avx512::run_lstm, 16);
        compare_narrow(&for_avx512::run_int8, 16);
    }
}
#endif

TEST_CASE("instruction sets: the one that is called is that of the processor") {
    auto const chosen = sluice::xtensor::for_this_processor(0, 1, 2);
    CHECK(chosen == static_cast<int>(sluice::xtensor::instruction_set_of_this_processor()));
    run_function* const run =
        sluice::xtensor::for_this_processor(&for_x86_64::run_gru, &for_avx2::run_gru, &for_avx512::run_gru);
    CHECK(run(false, 13, 2).outputs.size() == 7u * 2u * 13u);
}

} // namespace instruction_sets_test
