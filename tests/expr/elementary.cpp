// SPDX-License-Identifier: BSL-1.0
// Elementary functions at known points and at their ends; tests/graph has the derivatives.
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/expr/elementary.hpp>

namespace elementary_test {

namespace operation = sluice::operation;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool close(double a, double b) {
    return std::abs(a - b) <= 4e-16 * std::abs(b) || a == b;
}

} // namespace

TEST_CASE("elementary: signs and sizes") {
    CHECK(operation::signum::value(-3.0) == -1);
    CHECK(operation::signum::value(0.0) == 0);
    CHECK(operation::signum::value(5e-324) == 1);
    CHECK(operation::abs::value(-0.25) == 0.25);
    CHECK(operation::abs::value(-infinity) == infinity);
    CHECK(operation::square::value(-3.0) == 9);
    CHECK(operation::reciprocal::value(-4.0) == -0.25);
}

TEST_CASE("elementary: exponentials and logarithms, also where a difference from 1 is small") {
    CHECK(operation::exp::value(0.0) == 1);
    CHECK(operation::exp::value(-infinity) == 0);
    CHECK(close(operation::exp::value(1.0), 2.718281828459045));
    CHECK(close(operation::expm1::value(1e-12), 1.0000000000005e-12));
    CHECK(operation::log::value(1.0) == 0);
    CHECK(operation::log::value(0.0) == -infinity);
    CHECK(close(operation::log::value(10.0), 2.302585092994046));
    CHECK(close(operation::log1p::value(1e-12), 9.999999999995e-13));
}

TEST_CASE("elementary: sin, cos, erf") {
    CHECK(operation::sin::value(0.0) == 0);
    CHECK(operation::cos::value(0.0) == 1);
    CHECK(close(operation::sin::value(1.0), 0.8414709848078965));
    CHECK(close(operation::cos::value(1.0), 0.5403023058681398));
    CHECK(operation::erf::value(0.0) == 0);
    CHECK(close(operation::erf::value(1.0), 0.8427007929497149));
    CHECK(operation::erf::value(infinity) == 1);
}

TEST_CASE("elementary: roots") {
    CHECK(operation::sqrt::value(0.25) == 0.5);
    CHECK(operation::sqrt::value(0.0) == 0);
    CHECK(operation::length::value(6.25) == 2.5);
    CHECK(operation::rsqrt::value(0.25) == 2);
    CHECK(operation::rsqrt::value(0.0) == infinity);
}

} // namespace elementary_test
