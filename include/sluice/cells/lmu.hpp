// SPDX-License-Identifier: BSL-1.0
// LMU, the Legendre memory unit (Voelker, Kajic and Eliasmith, NeurIPS 2019): a linear memory holds the last
// theta steps of a signal u as coefficients of Legendre polynomials, and a plain network reads it.
//
//   u  = x e_x + h e_h + m e_m                     what is remembered    [batch, 1]
//   m' = m A + u B                                 memory                [batch, order]
//   h' = tanh(x W_h + h R_h + m' W_m)              state, and output     [batch, units]
//
// A [order, order] and B [1, order] are fixed. They hold, transposed, theta dm/dt = a m + b u over one step
// with constant u (zero-order hold), where
//
//   a_ij = (2 i + 1) (-1 if i < j, else (-1)^(i - j + 1)),   b_i = (2 i + 1) (-1)^i,   i, j = 0 .. order - 1.
//
// As in the paper e_x and e_h start uniform with variance 1 / fan-in, e_m at 0, and the three others normal
// with variance 2 / (fan-in + fan-out); there are no biases. theta is an initial value, 784 by default.
#pragma once

#include <cmath>
#include <sluice/expr/page.hpp>
#include <vector>

namespace sluice {

namespace detail {

/// The transpose of exp([a, b; 0, 0] / theta), [order + 1, order + 1]: A over B, beside a column of the unit
/// matrix. Taylor's series of a 2^-k part of it, k times squared.
inline std::vector<double> legendre_memory(std::size_t order, double theta) {
    if (!(theta > 0) || !std::isfinite(theta))
        fail<std::invalid_argument>(
            {"lmu: theta is how many steps the memory holds; give a positive number, not ", theta});
    std::size_t const n = order + 1;
    auto const product = [n](std::vector<double> const& a, std::vector<double> const& b) {
        std::vector<double> c(n * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < n; ++k)
                for (std::size_t j = 0; j < n; ++j)
                    c[i * n + j] += a[i * n + k] * b[k * n + j];
        return c;
    };
    // The sum of the magnitudes of a row of a is below 2 order^2.
    double const most = 2 * static_cast<double>(n) * static_cast<double>(n) / theta;
    int const halvings = most > 0.5 ? static_cast<int>(std::ceil(std::log2(2 * most))) : 0;
    double const part = std::ldexp(1 / theta, -halvings);

    std::vector<double> rate(n * n), sum(n * n);
    for (std::size_t i = 0; i < order; ++i) {
        double const size = part * static_cast<double>(2 * i + 1);
        for (std::size_t j = 0; j < order; ++j)
            rate[j * n + i] = i < j || (i - j) % 2 == 0 ? -size : size;
        rate[order * n + i] = i % 2 == 0 ? size : -size;
    }
    std::vector<double> term(n * n);
    for (std::size_t i = 0; i < n; ++i)
        term[i * n + i] = sum[i * n + i] = 1;
    for (int k = 1; k < 16; ++k) {
        term = product(term, rate);
        for (std::size_t i = 0; i < n * n; ++i)
            sum[i] += term[i] /= k;
    }
    for (int k = 0; k < halvings; ++k)
        sum = product(sum, sum);
    return sum;
}

} // namespace detail

struct lmu {
    static constexpr std::string_view name = "LMU";
    static constexpr std::string_view source = "Voelker, Kajic and Eliasmith, NeurIPS 2019";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto order = size<"order">;
        constexpr auto m = state<"m", order>;
        constexpr auto u = gate<"u">;
        // clang-format off
        return lines(
            u       = x * matrix<"e_x", 1> + h * matrix<"e_h", 1> + m * matrix<"e_m", 1>,
            next(m) = m * fixed(matrix<"A", order>) + u * fixed(matrix<"B", order>),
            next(h) = tanh(x * W<"h"> + h * R<"h"> + next(m) * W<"m">));
        // clang-format on
    }();

    /// A memory as wide as the state; the paper has 212 units and an order of 256 in its largest network.
    static constexpr sizes sizes_of(std::size_t input, std::size_t units) {
        return {.input = input, .units = units, .own = {{"order", units}}};
    }

    struct initial_values {
        double theta = 784; ///< steps that the memory holds

        start operator()(parameter_role const& p, sizes const& n) const {
            std::size_t const order = n.own["order"];
            auto const called = p.called.view();
            if (!p.trained)
                return {discrete(called == "A", order)};
            double const fan_in = static_cast<double>(called == "e_x" || called == "W_h"   ? n.input
                                                      : called == "e_h" || called == "R_h" ? n.units
                                                                                           : order);
            if (called == "e_m")
                return {init::zeros{}};
            if (called == "e_x" || called == "e_h")
                return {init::uniform{-std::sqrt(3 / fan_in), std::sqrt(3 / fan_in)}};
            return {init::normal{0, std::sqrt(2 / (fan_in + static_cast<double>(n.units)))}};
        }

    private:
        init::values discrete(bool is_memory, std::size_t order) const {
            auto const both = detail::legendre_memory(order, theta);
            std::vector<double> part;
            for (std::size_t row = is_memory ? 0 : order; row < (is_memory ? order : order + 1); ++row)
                for (std::size_t column = 0; column < order; ++column)
                    part.push_back(both[row * (order + 1) + column]);
            return {part};
        }
    };
};

} // namespace sluice
