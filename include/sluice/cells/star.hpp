// SPDX-License-Identifier: BSL-1.0
// STAR, the stackable recurrent cell (Turkoglu et al., arXiv 1911.11033): one gate, made so that
// gradients neither grow nor vanish from layer to layer.
//
//   z  = tanh(x W_z + b_z)                         what the input says   [batch, units]
//   k  = sigmoid(x W_k + h R_k + b_k)              gate
//   h' = tanh((1 - k) . h + k . z)                 state, and output
//
// The gate lets the input in.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct star {
    static constexpr std::string_view name = "STAR";
    static constexpr std::string_view source = "Turkoglu et al., arXiv 1911.11033";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto z = gate<"z">;
        constexpr auto k = gate<"k">;
        // clang-format off
        return lines(
            z       = tanh(x * W<"z"> + b<"z">),
            k       = sigmoid(x * W<"k"> + h * R<"k"> + b<"k">),
            next(h) = tanh((1 - k) * h + k * z));
        // clang-format on
    }();
};

} // namespace sluice
