// SPDX-License-Identifier: BSL-1.0
// Functions of the language, written down by the numbers that they are given.
#include <doctest/doctest.h>
#include <limits>
#include <sluice/expr/activation.hpp>
#include <sluice/source/traced.hpp>
#include <string>

namespace traced_test {

namespace {

template <class Number>
std::string written(sluice::traced<Number> const& result) {
    std::string text;
    print(result, "y", text);
    return text;
}
sluice::traced<float> const a(std::string("a")), b(std::string("b"));
sluice::traced<double> const d(std::string("d"));

} // namespace

TEST_CASE("traced: a function writes down what it computes, with as few brackets as C++ needs") {
    using namespace sluice::operation;
    namespace activation = sluice::activation;
    CHECK(written(activation::sigmoid::value(a)) == "number const y = 1.0f / (1.0f + expf(-a));\n");
    CHECK(written(activation::sigmoid::value(d)) == "number const y = 1.0 / (1.0 + exp(-d));\n");
    CHECK(written(activation::tanh::value(a)) == "number const y = tanhf(a);\n");
    CHECK(written(activation::relu::value(a)) == "number const y = a > 0.0f ? a : 0.0f;\n");
    CHECK(written(activation::softplus::value(d)) ==
          "number const y = (d > 0.0 ? d : 0.0) + log1p(exp(-fabs(d)));\n");
    CHECK(written(maximum::value(a, b)) == "number const y = a > b ? a : (b >= a ? b : a + b);\n");
    CHECK(written(exceeds::value(a, b)) == "number const y = a > b ? 1.0f : (a == b ? 0.5f : 0.0f);\n");
    CHECK(written(a - (b - a)) == "number const y = a - (b - a);\n");
    CHECK(written((a - b) - a) == "number const y = a - b - a;\n");
    CHECK(written(a / (b * a)) == "number const y = a / (b * a);\n");
    CHECK(written((a + b) * a) == "number const y = (a + b) * a;\n");
    CHECK(written(-(a + b)) == "number const y = -(a + b);\n");
    CHECK(written(-(-a)) == "number const y = -(-a);\n");
    CHECK(written(2 * a) == "number const y = 2.0f * a;\n");
    CHECK(written(pow(a, 0.5)) == "number const y = powf(a, 0.5f);\n");
    CHECK(written(select((a < b && !(b > 1.0f)) || a == 0, a, b)) ==
          "number const y = a < b && !(b > 1.0f) || a == 0.0f ? a : b;\n");
}

TEST_CASE("traced: what is used twice is computed once") {
    CHECK(written(sluice::activation::hard_sigmoid::value(d)) ==
          "number const y_1 = 0x1.999999999999ap-3 * d + 0.5;\n"
          "number const y_2 = y_1 > 0.0 ? y_1 : 0.0;\n"
          "number const y = y_2 < 1.0 ? y_2 : 1.0;\n");
    auto const condition = a < b;
    CHECK(written(select(condition, a, b) + select(condition, b, a)) ==
          "bool const y_1 = a < b;\nnumber const y = (y_1 ? a : b) + (y_1 ? b : a);\n");
    auto power = a + b;
    for (int i = 0; i < 60; ++i)
        power *= power; // 2^60 operands, if each were written
    CHECK(written(power).size() < 60 * 40);
}

TEST_CASE("traced: literals are read as the numbers that they were") {
    auto const literal = [](auto number) { return sluice::detail::literal_of(number); };
    CHECK(literal(0.0) == "0.0");
    CHECK(literal(-0.0) == "(-0.0)");
    CHECK(literal(1.0f) == "1.0f");
    CHECK(literal(-2.5) == "(-2.5)");
    CHECK(literal(0.1f) == "0x1.99999ap-4f");
    CHECK(literal(0.1) == "0x1.999999999999ap-4");
    CHECK(literal(0.0009765625) == "0.0009765625");
    CHECK(literal(1e30) == "0x1.93e5939a08ceap+99");
    CHECK(literal(std::numeric_limits<double>::denorm_min()) == "0x0.0000000000001p-1022");
    CHECK(literal(-std::numeric_limits<float>::infinity()) == "(-infinity)");
    CHECK(literal(std::numeric_limits<float>::quiet_NaN()) == "(infinity - infinity)");
}

} // namespace traced_test
