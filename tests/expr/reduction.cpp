// SPDX-License-Identifier: BSL-1.0
// Reductions at known points; tests/graph has the derivatives.
#include <cmath>
#include <doctest/doctest.h>
#include <initializer_list>
#include <limits>
#include <sluice/expr/reduction.hpp>

namespace reduction_test {

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

TEST_CASE("reduction: sums and the largest") {
    CHECK(reduced<operation::sum>({1, 2, -4}) == -1);
    CHECK(reduced<operation::sum>({}) == 0);
    CHECK(reduced<operation::largest>({-3, -2, -4}) == -2);
    CHECK(reduced<operation::largest>({-infinity}) == -infinity);
    CHECK(std::isnan(reduced<operation::largest>({1, not_a_number, 2})));
    CHECK(operation::largest::start<float>() == -std::numeric_limits<float>::infinity());
}

TEST_CASE("reduction: the smallest, which hides no NaN") {
    CHECK(reduced<operation::smallest>({-3, -2, -4}) == -4);
    CHECK(reduced<operation::smallest>({infinity}) == infinity);
    CHECK(std::isnan(reduced<operation::smallest>({not_a_number, 2})));
    CHECK(operation::smallest::start<float>() == std::numeric_limits<float>::infinity());
}

TEST_CASE_TEMPLATE("reduction: the result of nothing changes no other", F, operation::sum, operation::largest,
                   operation::smallest, operation::offset) {
    for (double const z : {-infinity, -2.5, 0.0, 1e300, infinity}) {
        CHECK(F::combine(F::template start<double>(), z) == z);
        CHECK(F::combine(z, F::template start<double>()) == z);
    }
}

} // namespace reduction_test
