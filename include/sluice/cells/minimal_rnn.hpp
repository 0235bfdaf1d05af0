// SPDX-License-Identifier: BSL-1.0
// MinimalRNN (Chen, arXiv 1711.06788): the input is embedded in the space of the state, and one gate weighs
// the state against it.
//
//   z  = tanh(x W_z + b_z)                         embedded input        [batch, units]
//   u  = sigmoid(h R_u + z W_u + b_u)              update gate
//   h' = u . h + (1 - u) . z                       state, and output
//
// The update gate keeps the old state. The paper leaves the embedding Phi(x) open, and
// trains this one.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct minimal_rnn {
    static constexpr std::string_view name = "MinimalRNN";
    static constexpr std::string_view source = "Chen, arXiv 1711.06788";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto z = gate<"z">;
        constexpr auto u = gate<"u">;
        // clang-format off
        return lines(
            z       = tanh(x * W<"z"> + b<"z">),
            u       = sigmoid(h * R<"u"> + z * W<"u"> + b<"u">),
            next(h) = u * h + (1 - u) * z);
        // clang-format on
    }();
};

} // namespace sluice
