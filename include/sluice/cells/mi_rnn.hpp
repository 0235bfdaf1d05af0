// SPDX-License-Identifier: BSL-1.0
// Two simple networks whose products of the input and of the state are multiplied with each other, besides
// being added: alpha, beta_h and beta_x say how much of each.
//
//   v  = x W_h                                                      [batch, units]
//   w  = h R_h
//   n  = tanh(alpha . v . w + beta_h . w + beta_x . v + b_h)
//
//   mi_rnn       h' = n                                             state, and output
//
//   delta_rnn    r  = sigmoid(v + b_r)                              how much of the old state stays
//                h' = tanh((1 - r) . n + r . h)
//
// MI-RNN, multiplicative integration, is Wu et al., arXiv 1606.06630; the Delta-RNN is Ororbia, Mikolov and
// Reitter, arXiv 1703.08864, with tanh for both functions that the paper leaves open. alpha, beta_h (the
// papers' beta_1) and beta_x (beta_2) are trained and start at 1. Matrices start glorot uniform, biases at 0.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

/// How the parameters of both cells start.
struct multiplicative_integration_initial_values {
    initializer factor_initializer = init::ones{}; ///< of alpha, beta_h and beta_x

    start operator()(parameter_role const& p, sizes const&) const {
        return p.rank == 1 && !p.is_bias ? start{factor_initializer} : default_start(p);
    }
};

struct mi_rnn {
    static constexpr std::string_view name = "MI-RNN";
    static constexpr std::string_view source = "Wu et al., arXiv 1606.06630";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto v = gate<"v">;
        constexpr auto w = gate<"w">;
        constexpr auto alpha = vector<"alpha">;
        constexpr auto beta_h = vector<"beta_h">;
        constexpr auto beta_x = vector<"beta_x">;
        // clang-format off
        return lines(
            v       = x * W<"h">,
            w       = h * R<"h">,
            next(h) = tanh(alpha * v * w + beta_h * w + beta_x * v + b<"h">));
        // clang-format on
    }();

    using initial_values = multiplicative_integration_initial_values;
};

struct delta_rnn {
    static constexpr std::string_view name = "Delta-RNN";
    static constexpr std::string_view source = "Ororbia, Mikolov and Reitter, arXiv 1703.08864";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto v = gate<"v">;
        constexpr auto w = gate<"w">;
        constexpr auto n = gate<"n">;
        constexpr auto r = gate<"r">;
        constexpr auto alpha = vector<"alpha">;
        constexpr auto beta_h = vector<"beta_h">;
        constexpr auto beta_x = vector<"beta_x">;
        // clang-format off
        return lines(
            v       = x * W<"h">,
            w       = h * R<"h">,
            n       = tanh(alpha * v * w + beta_h * w + beta_x * v + b<"h">),
            r       = sigmoid(v + b<"r">),
            next(h) = tanh((1 - r) * n + r * h));
        // clang-format on
    }();

    using initial_values = multiplicative_integration_initial_values;
};

} // namespace sluice
