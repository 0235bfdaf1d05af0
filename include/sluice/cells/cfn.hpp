// SPDX-License-Identifier: BSL-1.0
// CFN, the chaos free network (Laurent and von Brecht, arXiv 1612.06212): without input its
// state decays to 0.
//
//   f  = sigmoid(x W_f + h R_f + b_f)              forget gate           [batch, units]
//   i  = sigmoid(x W_i + h R_i + b_i)              input gate
//   h' = f . tanh(h) + i . tanh(x W_h)             state, and output
//
// The paper's theta is f, and its eta i.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct cfn {
    static constexpr std::string_view name = "CFN";
    static constexpr std::string_view source = "Laurent and von Brecht, arXiv 1612.06212";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto f = gate<"f">;
        constexpr auto i = gate<"i">;
        // clang-format off
        return lines(
            f       = sigmoid(x * W<"f"> + h * R<"f"> + b<"f">),
            i       = sigmoid(x * W<"i"> + h * R<"i"> + b<"i">),
            next(h) = f * tanh(h) + i * tanh(x * W<"h">));
        // clang-format on
    }();
};

} // namespace sluice
