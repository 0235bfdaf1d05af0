// SPDX-License-Identifier: BSL-1.0
// Values at known points; tests/graph has the derivatives.
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/expr/activation.hpp>

namespace activation_test {

namespace activation = sluice::activation;

namespace {

bool close(double a, double b) {
    return std::abs(a - b) <= 1e-15 * std::abs(b) || a == b;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("activations: sigmoid") {
    using activation::sigmoid;
    CHECK(sigmoid::value(0.0) == 0.5);
    CHECK(close(sigmoid::value(1.0), 0.73105857863000487925));
    CHECK(close(sigmoid::value(-3.0), 0.047425873177566781));
    CHECK(sigmoid::value(-infinity) == 0);
    CHECK(sigmoid::value(-800.0) == 0);
    CHECK(sigmoid::value(800.0) == 1);
}

TEST_CASE("activations: tanh") {
    using activation::tanh;
    CHECK(tanh::value(0.0) == 0);
    CHECK(close(tanh::value(1.0), 0.76159415595576488812));
    CHECK(close(tanh::value(-0.5), -0.46211715726000975850));
    CHECK(tanh::value(800.0) == 1);
}

TEST_CASE("activations: exp and identity") {
    CHECK(sluice::operation::exp::value(0.0) == 1);
    CHECK(close(sluice::operation::exp::value(1.0), 2.71828182845904523536));
    CHECK(activation::identity::value(-2.5) == -2.5);
}

TEST_CASE("activations: relu and its step, which is 0 at 0") {
    CHECK(activation::relu::value(2.5) == 2.5);
    CHECK(activation::relu::value(-2.5) == 0);
    CHECK(activation::relu::value(0.0) == 0);
    CHECK(activation::step::value(0.0) == 0);
    CHECK(activation::step::value(1e-300) == 1);
    CHECK(activation::step::value(-1.0) == 0);
}

TEST_CASE("activations: softplus does not overflow") {
    using activation::softplus;
    CHECK(close(softplus::value(0.0), 0.69314718055994530942));
    CHECK(close(softplus::value(1.0), 1.31326168751822283405));
    CHECK(close(softplus::value(-1.0), 0.31326168751822283405));
    CHECK(softplus::value(1000.0) == 1000);
    CHECK(softplus::value(-1000.0) == 0);
    CHECK(close(softplus::value(-40.0), 4.248354255291588e-18));
}

TEST_CASE("activations: hard sigmoid, z / 5 + 1 / 2 between 0 and 1") {
    using activation::hard_sigmoid, activation::hard_sigmoid_slope;
    CHECK(hard_sigmoid::value(0.0) == 0.5);
    CHECK(close(hard_sigmoid::value(1.0), 0.7));
    CHECK(hard_sigmoid::value(2.5) == 1);
    CHECK(hard_sigmoid::value(7.0) == 1);
    CHECK(hard_sigmoid::value(-2.5) == 0);
    CHECK(hard_sigmoid::value(-7.0) == 0);
    CHECK(hard_sigmoid_slope::value(1.0) == 0.2);
    CHECK(hard_sigmoid_slope::value(2.5) == 0);
    CHECK(hard_sigmoid_slope::value(-3.0) == 0);
}

TEST_CASE("activations: in float, with a float's accuracy") {
    CHECK(activation::sigmoid::value(1.0F) == doctest::Approx(0.731058578630005).epsilon(1e-6));
    CHECK(activation::softplus::value(-1.0F) == doctest::Approx(0.313261687518223).epsilon(1e-6));
    CHECK(activation::hard_sigmoid::value(1.0F) == doctest::Approx(0.7).epsilon(1e-6));
}

} // namespace activation_test
