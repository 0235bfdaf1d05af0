// SPDX-License-Identifier: BSL-1.0
// Cells in a file that is compiled with -ffast-math: finite numbers are as they are without it, forward and
// backward, of sizes that are known when the program runs, constant, and with narrow weights.
#include <sluice/cells/gru.hpp>
#include <sluice/check/gradient_check.hpp>
#include <sluice/simd/batch_elementary.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/narrow/narrow_weights.hpp>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <support/tensors.hpp>
#include <vector>

namespace fast_math_test {

using namespace sluice::literals;

constexpr std::size_t time = 11, batch = 3;
constexpr sluice::sizes n{.input = 5, .units = 19};

template <class Cell>
auto sequence_of(Cell const&) {
    return support::random_sequence<typename Cell::scalar_type>(time, batch, n.input);
}

/// The outputs of the cell, in loops.
template <class Cell, class Tensor>
std::vector<double> loops(Cell const& cell, Tensor const& xs) {
    auto const p = cell.parameters();
    auto const sum = [&](auto const& weight, auto const& recurrent, auto const& bias, std::size_t t,
                         std::size_t row, std::vector<double> const& from, std::size_t j) {
        double z = static_cast<double>(bias(j));
        for (std::size_t k = 0; k < n.input; ++k)
            z += static_cast<double>(xs(t, row, k)) * static_cast<double>(weight(k, j));
        for (std::size_t k = 0; k < n.units; ++k)
            z += from[k] * static_cast<double>(recurrent(k, j));
        return z;
    };
    std::vector<double> all(time * batch * n.units);
    for (std::size_t row = 0; row < batch; ++row) {
        std::vector<double> before(n.units), next(n.units), kept(n.units);
        for (std::size_t t = 0; t < time; ++t) {
            for (std::size_t j = 0; j < n.units; ++j)
                kept[j] =
                    before[j] / (1 + std::exp(-sum(p["W_r"_s], p["R_r"_s], p["b_r"_s], t, row, before, j)));
            for (std::size_t j = 0; j < n.units; ++j) {
                double const gate =
                    1 / (1 + std::exp(-sum(p["W_u"_s], p["R_u"_s], p["b_u"_s], t, row, before, j)));
                double const in = std::tanh(sum(p["W_n"_s], p["R_n"_s], p["b_n"_s], t, row, kept, j));
                next[j] = gate * before[j] + (1 - gate) * in;
                all[(t * batch + row) * n.units + j] = next[j];
            }
            before = next;
        }
    }
    return all;
}

template <class Outputs>
double farthest(Outputs const& found, std::vector<double> const& expected) {
    REQUIRE(found.size() == expected.size());
    double most = 0;
    auto one = expected.begin();
    for (auto const y : found)
        most = std::max(most, std::abs(static_cast<double>(y) - *one++));
    return most;
}

/// How far f of a batch, in each of its lanes, is from g of a number, relative to that where it is over 1.
template <class S>
double worst_of(auto f, auto g, std::vector<double> const& numbers) {
    using with = sluice::xtensor::simd<S>;
    double worst = 0;
    for (double const number : numbers) {
        std::vector<S> y(with::lanes);
        with::store(f(typename with::type(static_cast<S>(number))), y.data());
        double const exact = g(static_cast<double>(static_cast<S>(number)));
        for (S const one : y)
            worst =
                std::max(worst, std::abs(static_cast<double>(one) - exact) / std::max(1., std::abs(exact)));
    }
    return worst;
}

TEST_CASE_TEMPLATE("fast math: functions of batches are rounded where they say so", S, float, double) {
    double const rounding = std::is_same_v<S, float> ? 4e-7 : 1e-15;
    std::vector<double> const all{-1234.5, -17.25, -2.5, -0.75, -0.001, 0.0003, 0.5, 1.5, 2.75, 9.125, 43.5};
    std::vector<double> const small{-8.5, -2.5, -0.75, -0.001, 0.0003, 0.5, 1.5, 2.75, 9.125};
    std::vector<double> const positive{0.0003, 0.5, 1, 1.5, 2.75, 9.125, 1e6};
    CHECK(worst_of<S>([](auto z) { return floor(z); }, [](double z) { return std::floor(z); }, all) == 0);
    CHECK(worst_of<S>([](auto z) { return nearbyint(z); }, [](double z) { return std::nearbyint(z); }, all) ==
          0);
    CHECK(worst_of<S>([](auto z) { return exp(z); }, [](double z) { return std::exp(z); }, small) < rounding);
    CHECK(worst_of<S>([](auto z) { return expm1(z); }, [](double z) { return std::expm1(z); }, small) <
          rounding);
    CHECK(worst_of<S>([](auto z) { return tanh(z); }, [](double z) { return std::tanh(z); }, all) < rounding);
    CHECK(worst_of<S>([](auto z) { return log(z); }, [](double z) { return std::log(z); }, positive) <
          rounding);
    CHECK(worst_of<S>([](auto z) { return log1p(z); }, [](double z) { return std::log1p(z); }, positive) <
          rounding);
    // Relative to a small result.
    S const tiny = S(1e-3);
    std::vector<S> y(sluice::xtensor::simd<S>::lanes);
    sluice::xtensor::simd<S>::store(log1p(typename sluice::xtensor::simd<S>::type(tiny)), y.data());
    CHECK(std::abs(static_cast<double>(y[0]) / std::log1p(static_cast<double>(tiny)) - 1) < rounding);
}

TEST_CASE_TEMPLATE("fast math: a cell gives the numbers of its equations", S, float, double) {
    sluice::cell<sluice::gru, S> cell(n);
    support::randomize(cell);
    auto const xs = sequence_of(cell);
    double const rounding = std::is_same_v<S, float> ? 2e-6 : 1e-14;
    auto const expected = loops(cell, xs);
    CHECK(farthest(unroll(cell, xs, cell.zero_state(batch)).outputs, expected) < rounding);
    CHECK(farthest(infer(cell, xs, cell.zero_state(batch)).outputs, expected) < rounding);
}

TEST_CASE("fast math: gradients are those of the outputs") {
    sluice::cell<sluice::gru, double> cell(n);
    support::randomize(cell);
    CHECK(sluice::gradient_check(cell, sequence_of(cell), cell.zero_state(batch)).worst().largest < 1e-6);
}

TEST_CASE("fast math: steps of constant sizes, and narrow weights") {
    sluice::cell<sluice::gru> cell(n);
    support::randomize(cell);
    sluice::cell<sluice::gru, sluice::extents<n>> fixed{};
    sluice::cell<sluice::gru, sluice::xtensor::weights<sluice::int8>> narrow(n);
    sluice::copy_parameters(cell, fixed);
    sluice::copy_parameters(cell, narrow);
    auto const xs = sequence_of(cell);
    auto const expected = loops(cell, xs);
    CHECK(farthest(infer(narrow, xs, narrow.zero_state(batch)).outputs, expected) < 0.03);
    sluice::stream live(fixed);
    for (std::size_t t = 0; t < time; ++t) {
        std::vector<float> sample(n.input);
        for (std::size_t k = 0; k < n.input; ++k)
            sample[k] = xs(t, 0, k);
        auto const first = expected.begin() + static_cast<std::ptrdiff_t>(t * batch * n.units);
        std::vector<double> const row(first, first + n.units);
        CHECK(farthest(live.step(sample), row) < 2e-6);
    }
}

} // namespace fast_math_test
