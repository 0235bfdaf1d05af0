// SPDX-License-Identifier: BSL-1.0
// CfC, the closed-form continuous-time network (Hasani et al., arXiv 2106.13898): between two observations
// the state goes from one value to another, at a rate and after a time that both depend on what was seen.
//
//   k  = tanh(x W_k + h R_k + b_k)                 backbone              [batch, backbone]
//   f  = k W_f + b_f                               rate                  [batch, units]
//   g  = tanh(k W_g + b_g)                         where it comes from
//   n  = tanh(k W_n + b_n)                         where it goes
//   s  = sigmoid(-f dt)                            dt: elapsed time      [batch, 1]
//   h' = s . g + (1 - s) . n                       state, and output     [batch, units]
//
// The paper's h(x, I) is n. The backbone, which the three heads share, has one layer here; the authors' code
// has as many as it is told, with an activation of choice, and gives the time gate a further head that takes
// no time. Matrices start glorot uniform, biases at 0.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct cfc {
    static constexpr std::string_view name = "CfC";
    static constexpr std::string_view source = "Hasani et al., arXiv 2106.13898";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto backbone = size<"backbone">;
        constexpr auto k = gate<"k">;
        constexpr auto f = gate<"f">;
        constexpr auto g = gate<"g">;
        constexpr auto n = gate<"n">;
        constexpr auto s = gate<"s">;
        constexpr auto dt = input_number<"dt">;
        // clang-format off
        return lines(
            k       = tanh(x * W<"k", backbone> + h * R<"k", backbone> + b<"k">),
            f       = k * W<"f", units> + b<"f">,
            g       = tanh(k * W<"g", units> + b<"g">),
            n       = tanh(k * W<"n", units> + b<"n">),
            s       = sigmoid(-f * dt),
            next(h) = s * g + (1 - s) * n);
        // clang-format on
    }();

    static constexpr sizes sizes_of(std::size_t input, std::size_t units) {
        return {.input = input, .units = units, .own = {{"backbone", units}}};
    }
};

} // namespace sluice
