// SPDX-License-Identifier: BSL-1.0
// Values of pointwise functions and reductions at known points; tests/graph has the derivatives.
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/expr/reduction.hpp>

namespace operation = sluice::operation;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class F>
double reduced(std::initializer_list<double> features) {
    double result = F::template start<double>();
    for (double z : features)
        result = F::combine(result, z);
    return result;
}

} // namespace

TEST_CASE("operations: arithmetic") {
    CHECK(operation::add::value(2.0, 3.0) == 5);
    CHECK(operation::subtract::value(2.0, 3.0) == -1);
    CHECK(operation::multiply::value(2.0, 3.0) == 6);
    CHECK(operation::divide::value(3.0, 2.0) == 1.5);
    CHECK(operation::divide::value(1.0F, 3.0F) == 1.0F / 3.0F);
    CHECK(operation::negate::value(2.0) == -2);
    CHECK(operation::copy::value(2.0) == 2);
}

TEST_CASE("operations: the larger of two, which hides no NaN") {
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

TEST_CASE("operations: reductions") {
    CHECK(reduced<operation::sum>({1, 2, -4}) == -1);
    CHECK(reduced<operation::sum>({}) == 0);
    CHECK(reduced<operation::largest>({-3, -2, -4}) == -2);
    CHECK(reduced<operation::largest>({-infinity}) == -infinity);
    CHECK(std::isnan(reduced<operation::largest>({1, not_a_number, 2})));
    CHECK(operation::largest::start<float>() == -std::numeric_limits<float>::infinity());
}
