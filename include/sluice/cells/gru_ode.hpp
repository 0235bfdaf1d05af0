// SPDX-License-Identifier: BSL-1.0
// GRU-ODE (De Brouwer et al., arXiv 1905.12374): the GRU as a differential equation, dh/dt = (1 - z) . (n -
// h), in Euler steps of the time that has elapsed.
//
//   r  = sigmoid(x W_r + h R_r + b_r)              reset gate            [batch, units]
//   z  = sigmoid(x W_z + h R_z + b_z)              update gate
//   n  = tanh(x W_n + (r . h) R_n + b_n)           candidate
//   h' = h + dt (1 - z) . (n - h)                  dt: elapsed time      [batch, 1]
//
// With a dt of 1 it is the GRU. The paper's GRU-ODE-Bayes further corrects the state where there is an
// observation. Matrices start glorot uniform, biases at 0.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct gru_ode {
    static constexpr std::string_view name = "GRU-ODE";
    static constexpr std::string_view source = "De Brouwer et al., arXiv 1905.12374";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto r = gate<"r">;
        constexpr auto z = gate<"z">;
        constexpr auto n = gate<"n">;
        constexpr auto dt = input_number<"dt">;
        // clang-format off
        return lines(
            r       = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">),
            z       = sigmoid(x * W<"z"> + h * R<"z"> + b<"z">),
            n       = tanh(x * W<"n"> + (r * h) * R<"n"> + b<"n">),
            next(h) = h + dt * ((1 - z) * (n - h)));
        // clang-format on
    }();
};

} // namespace sluice
