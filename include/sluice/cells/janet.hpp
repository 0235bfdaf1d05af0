// SPDX-License-Identifier: BSL-1.0
// JANET, "just another network" (van der Westhuizen and Lasenby, arXiv 1804.04849): an LSTM of its forget
// gate alone, which lets in a little more than it forgets.
//
//   s  = x W_f + h R_f + b_f                       forget gate, before its sigmoid       [batch, units]
//   n  = tanh(x W_n + h R_n + b_n)                 candidate
//   h' = sigmoid(s) . h + (1 - sigmoid(s - beta)) . n        state, and output
//
// beta is a setting, 1 by default as in the paper. For sequences of T steps the paper starts b_f at the
// logarithm of U[1, T - 1] (Tallec and Ollivier, arXiv 1804.11188); here it starts at 1, or as is given.
// Matrices start glorot uniform, b_n at 0.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct janet {
    static constexpr std::string_view name = "JANET";
    static constexpr std::string_view source = "van der Westhuizen and Lasenby, arXiv 1804.04849";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto s = gate<"s">;
        constexpr auto n = gate<"n">;
        constexpr auto beta = setting<"beta">(1_n);
        // clang-format off
        return lines(
            s       = x * W<"f"> + h * R<"f"> + b<"f">,
            n       = tanh(x * W<"n"> + h * R<"n"> + b<"n">),
            next(h) = sigmoid(s) * h + (1 - sigmoid(s - beta)) * n);
        // clang-format on
    }();

    struct initial_values {
        initializer forget_bias_initializer = init::ones{};

        start operator()(parameter_role const& p, sizes const&) const {
            return p.called.view() == "b_f" ? start{forget_bias_initializer} : default_start(p);
        }
    };
};

} // namespace sluice
