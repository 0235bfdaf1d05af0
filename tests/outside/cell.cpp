// SPDX-License-Identifier: BSL-1.0
// A cell from outside computes its equations, and its gradients are exact.
#include "numbers.hpp"
#include "radial.hpp"
#include <doctest/doctest.h>

namespace outside_cell_test {

using namespace outside;

TEST_CASE("outside: a step of a cell is its equations") {
    sluice::cell<radial, double> const cell(extents, sluice::seed{7});
    auto state = cell.zero_state(2);
    auto const x_t = numbers<2>({2, 3}, "x");
    auto const h_t = state["h"_s] = numbers<2>({2, 5}, "h");
    auto const y = cell(x_t, state).output;

    auto const& all = cell.parameters();
    for (std::size_t r = 0; r < 2; ++r) {
        double growth = 1;
        for (std::size_t u = 0; u < 5; ++u)
            growth *= 1 + h_t(r, u);
        for (std::size_t u = 0; u < 5; ++u) {
            double read = 0, next = growth - 1;
            for (std::size_t i = 0; i < 3; ++i) {
                read += x_t(r, i) * all["W_k"_s](i, u);
                next += x_t(r, i) * all["W_n"_s](i, u);
            }
            for (std::size_t i = 0; i < 5; ++i)
                next += h_t(r, i) * all["R_n"_s](i, u);
            double const kept = std::exp(-(read - h_t(r, u)) * (read - h_t(r, u)));
            CHECK(y(r, u) == doctest::Approx(kept * h_t(r, u) + (1 - kept) * std::tanh(next)));
        }
    }
}

TEST_CASE("outside: the gradients of a cell are those of finite differences") {
    sluice::cell<radial, double> const cell(extents, sluice::seed{7});
    auto state = cell.zero_state(3);
    state["h"_s] = numbers<2>({3, 5}, "h");
    auto const xs = numbers<3>({4, 3, 3}, "xs");
    CHECK(gradient_check(cell, xs, state).worst().largest < 1e-7);
    CHECK(gradient_check(cell, xs, state, {.lengths = {4, 0, 2}}).worst().largest < 1e-7);
}

} // namespace outside_cell_test
