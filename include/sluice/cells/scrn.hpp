// SPDX-License-Identifier: BSL-1.0
// SCRN, the structurally constrained recurrent network (Mikolov et al., arXiv 1412.7753): a simple network
// beside a context that changes slowly.
//
//   s' = (1 - alpha) (x W_s) + alpha s             context               [batch, context]
//   h' = sigmoid(s' W_P + x W_h + h R_h)           state                 [batch, units]
//   y  = [h', s']                                  output                [batch, units + context]
//
// The paper's W_s, W_P, W_h and R_h are B, P, A and R, without biases. Its prediction f(h' U + s' V) is a
// layer over y. alpha is a setting, 0.95 by default as in the paper; it is no parameter.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct scrn {
    static constexpr std::string_view name = "SCRN";
    static constexpr std::string_view source = "Mikolov et al., arXiv 1412.7753";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto s = state<"s", size<"context">>;
        constexpr auto alpha = setting<"alpha">(0.95_n);
        // clang-format off
        return lines(
            next(s) = (1 - alpha) * (x * W<"s">) + alpha * s,
            next(h) = sigmoid(next(s) * W<"P"> + x * W<"h"> + h * R<"h">),
            output  = concat(next(h), next(s)));
        // clang-format on
    }();

    /// Two features of the context for five units, as in one of the paper's networks: 40 and 100.
    static constexpr sizes sizes_of(std::size_t input, std::size_t units) {
        return {.input = input, .units = units, .own = {{"context", (2 * units + 4) / 5}}};
    }
};

} // namespace sluice
