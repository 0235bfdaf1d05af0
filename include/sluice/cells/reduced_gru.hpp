// SPDX-License-Identifier: BSL-1.0
// GRU1, GRU2 and GRU3 (Dey and Salem, arXiv 1701.05923): a GRU whose gates see less and less.
//
//   gru1   u  = sigmoid(h R_u + b_u)               update gate           [batch, units]
//          r  = sigmoid(h R_r + b_r)               reset gate
//
//   gru2   u  = sigmoid(h R_u)
//          r  = sigmoid(h R_r)
//
//   gru3   u  = sigmoid(b_u)                       the same for all rows and steps       [units]
//          r  = sigmoid(b_r)
//
//   n  = tanh(x W_n + (r . h) R_n + b_n)           candidate             [batch, units]
//   h' = (1 - u) . h + u . n                       state, and output
//
// The update gate, the paper's z, lets the candidate in.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

/// What the gates are made of.
enum class gate_signal { state_and_bias, state, bias };

template <gate_signal Signal>
struct reduced_gru {
    static constexpr std::string_view name = Signal == gate_signal::state_and_bias ? "GRU1"
                                             : Signal == gate_signal::state        ? "GRU2"
                                                                                   : "GRU3";
    static constexpr std::string_view source = "Dey and Salem, arXiv 1701.05923";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto r = gate<"r">;
        constexpr auto u = gate<"u">;
        constexpr auto n = gate<"n">;

        constexpr auto signal = [](auto matrix, auto bias) {
            if constexpr (Signal == gate_signal::state_and_bias)
                return h * matrix + bias;
            else if constexpr (Signal == gate_signal::state)
                return h * matrix;
            else
                return bias;
        };
        // clang-format off
        return lines(
            u       = sigmoid(signal(R<"u">, b<"u">)),
            r       = sigmoid(signal(R<"r">, b<"r">)),
            n       = tanh(x * W<"n"> + (r * h) * R<"n"> + b<"n">),
            next(h) = (1 - u) * h + u * n);
        // clang-format on
    }();
};

struct gru1 : reduced_gru<gate_signal::state_and_bias> {};
struct gru2 : reduced_gru<gate_signal::state> {};
struct gru3 : reduced_gru<gate_signal::bias> {};

} // namespace sluice
