// SPDX-License-Identifier: BSL-1.0
// UGRNN, the update gate RNN (Collins, Sohl-Dickstein and Sussillo, arXiv 1611.09913): a simple network, and
// one gate that says how much of it each unit takes.
//
//   g  = sigmoid(x W_g + h R_g + b_g)              update gate           [batch, units]
//   n  = tanh(x W_n + h R_n + b_n)                 candidate
//   h' = g . h + (1 - g) . n                       state, and output
//
// The gate keeps the old state. TensorFlow's UGRNNCell adds a constant, 1, inside it; here b_g starts at 1.
// Matrices start glorot uniform, b_n at 0.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct ugrnn {
    static constexpr std::string_view name = "UGRNN";
    static constexpr std::string_view source =
        "Collins, Sohl-Dickstein and Sussillo, arXiv 1611.09913; TensorFlow's UGRNNCell";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto g = gate<"g">;
        constexpr auto n = gate<"n">;
        // clang-format off
        return lines(
            g       = sigmoid(x * W<"g"> + h * R<"g"> + b<"g">),
            n       = tanh(x * W<"n"> + h * R<"n"> + b<"n">),
            next(h) = g * h + (1 - g) * n);
        // clang-format on
    }();

    struct initial_values {
        initializer gate_bias_initializer = init::ones{};

        start operator()(parameter_role const& p, sizes const&) const {
            return p.called.view() == "b_g" ? start{gate_bias_initializer} : default_start(p);
        }
    };
};

} // namespace sluice
