// SPDX-License-Identifier: BSL-1.0
// A reduction from outside: its value, and its derivative.
#include "numbers.hpp"
#include "radial.hpp"
#include <doctest/doctest.h>

namespace outside_reduction_test {

using namespace outside;

namespace {

struct growing {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"k"> + reduce<compound>(h) * h));
};

} // namespace

TEST_CASE("outside: a reduction is that of all features of a row, of one and of five") {
    for (std::size_t const units : {1u, 5u}) {
        sluice::cell<growing, double> const cell({.input = 3, .units = units}, sluice::seed{7});
        auto state = cell.zero_state(2);
        state["h"_s] = numbers<2>({2, units}, "h");
        auto const x_t = numbers<2>({2, 3}, "x");
        auto const y = cell(x_t, state).output;
        for (std::size_t r = 0; r < 2; ++r) {
            double growth = 1;
            for (std::size_t u = 0; u < units; ++u)
                growth *= 1 + state["h"_s](r, u);
            for (std::size_t u = 0; u < units; ++u) {
                double sum = (growth - 1) * state["h"_s](r, u);
                for (std::size_t i = 0; i < 3; ++i)
                    sum += x_t(r, i) * cell.parameters()["W_k"_s](i, u);
                CHECK(y(r, u) == doctest::Approx(std::tanh(sum)));
            }
        }
    }
}

TEST_CASE("outside: the derivative of a reduction is that of finite differences") {
    sluice::cell<growing, double> const cell(extents, sluice::seed{7});
    auto state = cell.zero_state(2);
    state["h"_s] = numbers<2>({2, 5}, "h");
    CHECK(gradient_check(cell, numbers<3>({3, 2, 3}, "xs"), state).worst().largest < 1e-7);
}

} // namespace outside_reduction_test
