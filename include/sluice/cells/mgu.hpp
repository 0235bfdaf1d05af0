// SPDX-License-Identifier: BSL-1.0
// MGU, the minimal gated unit (Zhou et al., arXiv 1603.09420): a GRU whose reset and update gates are one.
//
//   f  = sigmoid(x W_f + h R_f + b_f)              forget gate           [batch, units]
//   n  = tanh(x W_n + (f . h) R_n + b_n)           candidate
//   h' = (1 - f) . h + f . n                       state, and output
//
// The gate lets the candidate in, in spite of its name.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct mgu {
    static constexpr std::string_view name = "MGU";
    static constexpr std::string_view source = "Zhou et al., arXiv 1603.09420";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto f = gate<"f">;
        constexpr auto n = gate<"n">;
        // clang-format off
        return lines(
            f       = sigmoid(x * W<"f"> + h * R<"f"> + b<"f">),
            n       = tanh(x * W<"n"> + (f * h) * R<"n"> + b<"n">),
            next(h) = (1 - f) * h + f * n);
        // clang-format on
    }();
};

} // namespace sluice
