// SPDX-License-Identifier: BSL-1.0
// Li-GRU, the light GRU (Ravanelli et al., arXiv 1803.10225): no reset gate, and a relu for the candidate.
//
//   z  = sigmoid(x W_z + h R_z + b_z)              update gate           [batch, units]
//   n  = relu(x W_n + h R_n + b_n)                 candidate
//   h' = z . h + (1 - z) . n                       state, and output
//
// The update gate keeps the old state. The paper normalises x W_z and x W_n over the batch, which is what
// keeps the relu from growing; that is not here, and b_z and b_n are the shifts that it would add. W start
// glorot uniform, R orthogonal, biases at 0, as in the paper.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct li_gru {
    static constexpr std::string_view name = "Li-GRU";
    static constexpr std::string_view source =
        "Ravanelli et al., arXiv 1803.10225, without batch normalisation";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto z = gate<"z">;
        constexpr auto n = gate<"n">;
        // clang-format off
        return lines(
            z       = sigmoid(x * W<"z"> + h * R<"z"> + b<"z">),
            n       = relu(x * W<"n"> + h * R<"n"> + b<"n">),
            next(h) = z * h + (1 - z) * n);
        // clang-format on
    }();

    struct initial_values {
        start operator()(parameter_role const& p, sizes const&) const {
            return p.called.view().starts_with("R_") ? start{init::orthogonal{}} : default_start(p);
        }
    };
};

} // namespace sluice
