// SPDX-License-Identifier: BSL-1.0
// S5 (Smith, Warrington and Linderman, arXiv 2208.04933): a linear system with complex states, each by
// itself, which all inputs drive and all outputs read. A state is a pair of numbers, p + i q.
//
//   L  = -exp(rate) + i angle              eigenvalues                    [units]
//   D  = exp(L dt), dt = exp(log_dt)       decay of one step
//   g  = (D - 1) / L                       gain of one step, with a constant input
//   u  = x W_p + i x W_q                   what drives the states         [batch, units]
//   p' + i q' = D . (p + i q) + g . u      states
//   y  = 2 (p' C_p - q' C_q) + d . x       output                         [batch, input]
//
// A pair stands for two states that are conjugate, so that `units` is half of the paper's state size and the
// output is twice the real part. The system is discretised by zero-order hold, and the output is of the
// states after the step. The activation after the cell belongs to the paper's layer. The equations below are
// those with their real and imaginary parts apart.
//
// exp(rate) starts at 1/2 and angle at pi n, n = 0, 1, ..., which is S4D-Lin (arXiv 2206.11893) in the place
// of the eigenvalues of HiPPO-N; dt uniform in the logarithm from 0.001 to 0.1, and d at 1.
#pragma once

#include <numbers>
#include <sluice/expr/page.hpp>
#include <vector>

namespace sluice {

struct s5 {
    static constexpr std::string_view name = "S5";
    static constexpr std::string_view source = "Smith, Warrington and Linderman, arXiv 2208.04933";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto P = state<"p">;
        constexpr auto Q = state<"q">;
        constexpr auto r = exp(vector<"rate">);
        constexpr auto w = vector<"angle">;
        constexpr auto dt = exp(vector<"log_dt">);
        constexpr auto D_p = exp(-(r * dt)) * cos(w * dt);
        constexpr auto D_q = exp(-(r * dt)) * sin(w * dt);
        constexpr auto g_p = (w * D_q - r * (D_p - 1)) / (square(r) + square(w));
        constexpr auto g_q = -((r * D_q + w * (D_p - 1)) / (square(r) + square(w)));
        constexpr auto u_p = gate<"u_p">;
        constexpr auto u_q = gate<"u_q">;
        // clang-format off
        return lines(
            u_p     = x * W<"p">,
            u_q     = x * W<"q">,
            next(P) = D_p * P - D_q * Q + (g_p * u_p - g_q * u_q),
            next(Q) = D_q * P + D_p * Q + (g_q * u_p + g_p * u_q),
            output  = 2_n * (next(P) * matrix<"C_p", size<"input">> - next(Q) * matrix<"C_q", size<"input">>) +
                      vector<"d"> * x);
        // clang-format on
    }();

    struct initial_values {
        start operator()(parameter_role const& p, sizes const& n) const {
            if (p.called.view() == "rate")
                return {init::constant{-0.6931471805599453}};
            if (p.called.view() == "log_dt")
                return {init::uniform{-6.907755278982137, -2.302585092994046}};
            if (p.called.view() == "d")
                return {init::ones{}};
            if (p.called.view() != "angle")
                return default_start(p);
            std::vector<double> angles;
            for (std::size_t i = 0; i < n.units; ++i)
                angles.push_back(std::numbers::pi * static_cast<double>(i));
            return {init::values{angles}};
        }
    };
};

} // namespace sluice
