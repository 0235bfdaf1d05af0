// SPDX-License-Identifier: BSL-1.0
// A pointwise function from outside: its value, its derivatives for both operands, and its name where
// equations are printed.
#include "numbers.hpp"
#include "radial.hpp"
#include <doctest/doctest.h>
#include <sluice/graph/print/print.hpp>
#include <sstream>

namespace outside_function_test {

using namespace outside;

namespace {

/// Nothing but the function: y = nearness(x W, h), and h stays.
struct near_page {
    static constexpr auto equations =
        sluice::lines(output = apply<nearness>(x * W<"k">, h), next(h) = apply<nearness>(h, 2_n * h));
};

} // namespace

TEST_CASE("outside: a pointwise function has the value that it says") {
    sluice::cell<near_page, double> const cell(extents, sluice::seed{7});
    auto state = cell.zero_state(2);
    state["h"_s] = numbers<2>({2, 5}, "h");
    auto const x_t = numbers<2>({2, 3}, "x");
    auto const [y, next_state] = cell(x_t, state);
    auto const& w = cell.parameters()["W_k"_s];
    for (std::size_t r = 0; r < 2; ++r)
        for (std::size_t u = 0; u < 5; ++u) {
            double apart = -state["h"_s](r, u);
            for (std::size_t i = 0; i < 3; ++i)
                apart += x_t(r, i) * w(i, u);
            CHECK(y(r, u) == doctest::Approx(std::exp(-apart * apart)));
            double const moved = state["h"_s](r, u);
            CHECK(next_state["h"_s](r, u) == doctest::Approx(std::exp(-moved * moved)));
        }
}

TEST_CASE("outside: both derivatives of a pointwise function are those of finite differences") {
    sluice::cell<near_page, double> const cell(extents, sluice::seed{7});
    auto state = cell.zero_state(2);
    state["h"_s] = numbers<2>({2, 5}, "h");
    CHECK(gradient_check(cell, numbers<3>({3, 2, 3}, "xs"), state).worst().largest < 1e-7);
}

TEST_CASE("outside: a pointwise function is printed under its name") {
    std::ostringstream text;
    text << sluice::print<near_page>();
    CHECK(text.str().find("nearness(") != std::string::npos);
}

} // namespace outside_function_test
