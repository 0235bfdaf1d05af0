// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>
#include <sluice/parameter/initialize.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace initialize_test {

using namespace sluice;

namespace {

template <class S>
std::vector<S> made(initializer const& how, shape_of_parameter shape, seed number = seed{2026},
                    std::string_view name = "R_n") {
    std::vector<S> values(shape.groups * (shape.is_vector ? 1 : shape.rows) * shape.cols);
    initialize(how, std::span(values), shape, number, name);
    return values;
}

/// One number that changes when any bit of any value does.
template <class S>
std::uint64_t fingerprint(std::vector<S> const& values) {
    std::uint64_t result = 0;
    for (double x : values)
        result = result * 0x100000001b3 + std::bit_cast<std::uint64_t>(x);
    return result;
}

template <class S>
std::pair<double, double> mean_and_deviation(std::vector<S> const& values) {
    double const count = static_cast<double>(values.size());
    double mean = 0;
    double square = 0;
    for (double x : values) {
        mean += x / count;
        square += x * x / count;
    }
    return {mean, std::sqrt(square - mean * mean)};
}

/// The largest |Q Q' - gain^2 I| over the rows, or |Q' Q - gain^2 I| over the columns, of one matrix.
template <class S>
double defect(S const* q, std::size_t rows, std::size_t cols, double gain) {
    bool const wide = rows <= cols;
    double worst = 0;
    auto const at = [&](std::size_t vector, std::size_t i) {
        return static_cast<double>(wide ? q[vector * cols + i] : q[i * cols + vector]);
    };
    for (std::size_t a = 0; a < std::min(rows, cols); ++a)
        for (std::size_t b = 0; b < std::min(rows, cols); ++b) {
            double dot = a == b ? -gain * gain : 0;
            for (std::size_t i = 0; i < std::max(rows, cols); ++i)
                dot += at(a, i) * at(b, i);
            worst = std::isnan(worst) || std::abs(dot) <= worst ? worst : std::abs(dot); // a NaN stays
        }
    return worst;
}

} // namespace

TEST_CASE("values: those, row by row, and as many as the parameter has") {
    init::values const six{{1, 2, 3, 4, 5, 0.1}};
    CHECK(made<double>(six, {.rows = 2, .cols = 3}) == six.numbers);
    CHECK(made<float>(six, {.cols = 6}) == std::vector<float>{1, 2, 3, 4, 5, 0.1f});
    CHECK_THROWS_WITH_AS(
        made<double>(six, {.rows = 2, .cols = 4}),
        "sluice: initialize: parameter R_n has 8 numbers, but init::values has 6; give one for "
        "each, row by row",
        std::invalid_argument);
    CHECK_THROWS_AS(initializer(init::values{{1, std::numeric_limits<double>::infinity()}}),
                    std::invalid_argument);
}

TEST_CASE("initialize: golden fingerprints") {
    shape_of_parameter const matrix{.rows = 7, .cols = 9};
    shape_of_parameter const grouped{.rows = 19, .cols = 11, .groups = 3};
    CHECK(fingerprint(made<double>(init::uniform{-0.1, 0.3}, matrix)) == 0x5cc3cfbae6a8838f);
    CHECK(fingerprint(made<double>(init::normal{0.1, 0.3}, matrix)) == 0x6fe78765164cbd26);
    CHECK(fingerprint(made<double>(init::glorot_uniform{}, matrix)) == 0xc44018639fe891f6);
    CHECK(fingerprint(made<double>(init::orthogonal{}, matrix)) == 0x97378e7b2a6d74d9);
    CHECK(fingerprint(made<double>(init::orthogonal{1.5}, grouped)) == 0x77779a6dac31bdc8);
    CHECK(fingerprint(made<float>(init::orthogonal{1.5}, grouped)) == 0x677bebf580000000);
}

TEST_CASE("initialize: a float parameter is the rounded double parameter") {
    for (initializer const& how : {initializer(init::uniform{}), initializer(init::normal{}),
                                   initializer(init::glorot_uniform{}), initializer(init::orthogonal{})}) {
        auto const wide = made<double>(how, {.rows = 13, .cols = 6, .groups = 2});
        auto const narrow = made<float>(how, {.rows = 13, .cols = 6, .groups = 2});
        for (std::size_t i = 0; i < wide.size(); ++i)
            CHECK(narrow[i] == static_cast<float>(wide[i]));
    }
}

TEST_CASE("initialize: the name and the seed choose the numbers, the shape does not shift them") {
    initializer const how = init::normal{};
    auto const one = made<double>(how, {.rows = 4, .cols = 4});
    CHECK(one == made<double>(how, {.rows = 4, .cols = 4}));
    CHECK(one != made<double>(how, {.rows = 4, .cols = 4}, seed{2027}));
    CHECK(one != made<double>(how, {.rows = 4, .cols = 4}, seed{2026}, "R_u"));
    auto const longer = made<double>(how, {.rows = 5, .cols = 4});
    CHECK(std::equal(one.begin(), one.end(), longer.begin()));
}

TEST_CASE_TEMPLATE("initialize: zeros, ones, constant", S, float, double) {
    for (S x : made<S>(init::zeros{}, {.cols = 5}))
        CHECK(x == 0);
    for (S x : made<S>(init::ones{}, {.rows = 2, .cols = 5}))
        CHECK(x == 1);
    for (S x : made<S>(init::constant{0.1}, {.rows = 2, .cols = 5, .groups = 2}))
        CHECK(x == static_cast<S>(0.1));
    CHECK(made<S>(init::ones{}, {.cols = 0}).empty());
}

TEST_CASE_TEMPLATE("initialize: uniform and glorot uniform fill their intervals evenly", S, float, double) {
    auto const check = [](std::vector<S> const& values, double low, double high) {
        auto const [mean, deviation] = mean_and_deviation(values);
        double const width = high - low;
        double const unit = width / std::sqrt(12.0 * static_cast<double>(values.size()));
        CHECK(std::abs(mean - (low + high) / 2) < 4 * unit);
        CHECK(deviation == doctest::Approx(width / std::sqrt(12.0)).epsilon(0.02));
        auto const [least, most] = std::minmax_element(values.begin(), values.end());
        CHECK(*least >= static_cast<S>(low));
        CHECK(*most <= static_cast<S>(high));
        CHECK(*least < low + 0.01 * width);
        CHECK(*most > high - 0.01 * width);
    };
    check(made<S>(init::uniform{-0.2, 0.6}, {.rows = 100, .cols = 80}), -0.2, 0.6);

    // the fans of the matrix itself, of a fused kernel, of a vector
    double const own = std::sqrt(6.0 / (100 + 80));
    check(made<S>(init::glorot_uniform{}, {.rows = 100, .cols = 80}), -own, own);
    double const fused = std::sqrt(6.0 / (300 + 160));
    check(made<S>(init::glorot_uniform{}, {.rows = 100, .cols = 80, .fan_in = 300, .fan_out = 160}), -fused,
          fused);
    double const vector = std::sqrt(6.0 / (5000 + 5000));
    check(made<S>(init::glorot_uniform{}, {.cols = 5000}), -vector, vector);
}

TEST_CASE_TEMPLATE("initialize: normal has its mean and deviation", S, float, double) {
    auto const values = made<S>(init::normal{1, 0.5}, {.rows = 100, .cols = 100});
    auto const [mean, deviation] = mean_and_deviation(values);
    CHECK(std::abs(mean - 1) < 4 * 0.5 / 100);
    CHECK(deviation == doctest::Approx(0.5).epsilon(0.03));
}

TEST_CASE_TEMPLATE("initialize: orthogonal matrices are orthogonal, each group on its own", S, float,
                   double) {
    double const tolerance = std::is_same_v<S, float> ? 1e-6 : 1e-14;
    struct {
        std::size_t rows, cols, groups;
    } const shapes[] = {{1, 1, 1},  {1, 9, 1},  {9, 1, 2},   {8, 8, 1},
                        {5, 12, 3}, {12, 5, 3}, {64, 64, 1}, {33, 96, 1}};
    for (auto const& shape : shapes) {
        CAPTURE(shape.rows);
        CAPTURE(shape.cols);
        auto const [rows, cols, groups] = shape;
        auto const q = made<S>(init::orthogonal{2}, {.rows = rows, .cols = cols, .groups = groups});
        for (std::size_t g = 0; g < groups; ++g)
            CHECK(defect(q.data() + g * rows * cols, rows, cols, 2) < 4 * tolerance);
        if (groups > 1)
            CHECK_FALSE(std::equal(q.begin(), q.begin() + static_cast<std::ptrdiff_t>(rows * cols),
                                   q.begin() + static_cast<std::ptrdiff_t>(rows * cols)));
    }
    CHECK(made<S>(init::orthogonal{0}, {.rows = 3, .cols = 3}) == std::vector<S>(9));
}

TEST_CASE("initialize: refusals, each with an accepting twin") {
    CHECK_THROWS_WITH_AS(made<float>(init::orthogonal{}, {.cols = 4}), doctest::Contains("R_n is a vector"),
                         std::invalid_argument);
    CHECK_NOTHROW(made<float>(init::orthogonal{}, {.rows = 1, .cols = 4}));
    std::vector<float> values(5, 3.0f);
    CHECK_THROWS_WITH_AS(initialize(init::ones{}, std::span(values), {.rows = 2, .cols = 3}, seed{}, "W_f"),
                         doctest::Contains("W_f has 5 numbers, but its shape asks for 6"),
                         std::invalid_argument);
    CHECK(values == std::vector<float>(5, 3.0f));
}

} // namespace initialize_test
