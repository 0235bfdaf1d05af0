// SPDX-License-Identifier: BSL-1.0
// ATR, the addition-subtraction twin-gated recurrent network (Zhang et al., arXiv 1810.12546): two products
// are all that it has, and both gates are made of them.
//
//   p  = x W_h                                     what the input says   [batch, units]
//   q  = h R_h                                     what the state says
//   i  = sigmoid(p + q)                            input gate
//   f  = sigmoid(p - q)                            forget gate
//   h' = i . p + f . h                             state, and output
//
// There are no biases, as in the paper's equations.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct atr {
    static constexpr std::string_view name = "ATR";
    static constexpr std::string_view source = "Zhang et al., arXiv 1810.12546";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto p = gate<"p">;
        constexpr auto q = gate<"q">;
        constexpr auto i = gate<"i">;
        constexpr auto f = gate<"f">;
        // clang-format off
        return lines(
            p       = x * W<"h">,
            q       = h * R<"h">,
            i       = sigmoid(p + q),
            f       = sigmoid(p - q),
            next(h) = i * p + f * h);
        // clang-format on
    }();
};

} // namespace sluice
