// SPDX-License-Identifier: BSL-1.0
// Comparisons, conditions and choices at known points; tests/graph has the derivatives.
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/expr/comparison.hpp>

namespace comparison_test {

namespace operation = sluice::operation;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
} // namespace

TEST_CASE("comparison: the larger of two, which hides no NaN") {
    using operation::maximum;
    CHECK(maximum::value(2.0, 3.0) == 3);
    CHECK(maximum::value(3.0, -2.0) == 3);
    CHECK(maximum::value(infinity, -infinity) == infinity);
    CHECK(maximum::value(-infinity, -infinity) == -infinity);
    CHECK(std::isnan(maximum::value(not_a_number, 3.0)));
    CHECK(std::isnan(maximum::value(3.0, not_a_number)));
    CHECK(operation::exceeds::value(3.0, 2.0) == 1);
    CHECK(operation::exceeds::value(2.0, 3.0) == 0);
    CHECK(operation::exceeds::value(2.0, 2.0) == 0.5);
    CHECK(operation::equal::value(2.0, 2.0) == 1);
    CHECK(operation::equal::value(2.0, 3.0) == 0);
}

TEST_CASE("comparison: the smaller of two, which hides no NaN") {
    using operation::minimum;
    CHECK(minimum::value(2.0, 3.0) == 2);
    CHECK(minimum::value(infinity, -infinity) == -infinity);
    CHECK(std::isnan(minimum::value(not_a_number, 3.0)));
    CHECK(std::isnan(minimum::value(3.0, not_a_number)));
}

TEST_CASE("comparison: conditions are 1 or 0, and false of a NaN") {
    CHECK(operation::greater::value(3.0, 2.0) == 1);
    CHECK(operation::greater::value(2.0, 2.0) == 0);
    CHECK(operation::greater_equal::value(2.0, 2.0) == 1);
    CHECK(operation::less::value(2.0, 2.0) == 0);
    CHECK(operation::less::value(-3.0, 2.0) == 1);
    CHECK(operation::less_equal::value(2.0, 2.0) == 1);
    CHECK(operation::greater_equal::value(not_a_number, 2.0) == 0);
    CHECK(operation::less::value(2.0, not_a_number) == 0);
    CHECK(operation::both::value(1.0, 1.0) == 1);
    CHECK(operation::both::value(1.0, 0.0) == 0);
    CHECK(operation::either::value(0.0, 1.0) == 1);
    CHECK(operation::either::value(0.0, 0.0) == 0);
    CHECK(operation::opposite::value(0.0) == 1);
    CHECK(operation::opposite::value(1.0) == 0);
}

TEST_CASE("comparison: a choice takes nothing from what it does not choose") {
    CHECK(operation::choose::value(1.0, 3.0, not_a_number) == 3);
    CHECK(operation::choose::value(0.0, infinity, 3.0) == 3);
}

} // namespace comparison_test
