// SPDX-License-Identifier: BSL-1.0
// LEM, long expressive memory (Rusch et al., arXiv 2110.04744): two states with time steps of their own,
// which the cell learns to choose.
//
//   d  = dt sigmoid(x W_d + y R_d + b_d)           time steps of z       [batch, units]
//   e  = dt sigmoid(x W_e + y R_e + b_e)           time steps of y
//   z' = (1 - d) . z + d . tanh(x W_z + y R_z + b_z)
//   y' = (1 - e) . y + e . tanh(x W_y + z' R_y + b_y)                    and output
//
// The paper's W_1 and W_2 are R_d and R_e, its V the W here. The largest step dt is a setting, 1 by default.
// All parameters start uniform within 1 / sqrt(units), as in the authors' code.
#pragma once

#include <cmath>
#include <sluice/expr/page.hpp>

namespace sluice {

struct lem {
    static constexpr std::string_view name = "LEM";
    static constexpr std::string_view source = "Rusch et al., arXiv 2110.04744";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto d = gate<"d">;
        constexpr auto e = gate<"e">;
        constexpr auto y = state<"y">;
        constexpr auto z = state<"z">;
        constexpr auto dt = setting<"dt">(1_n);
        // clang-format off
        return lines(
            d       = dt * sigmoid(x * W<"d"> + y * R<"d"> + b<"d">),
            e       = dt * sigmoid(x * W<"e"> + y * R<"e"> + b<"e">),
            next(z) = (1 - d) * z + d * tanh(x * W<"z"> + y * R<"z"> + b<"z">),
            next(y) = (1 - e) * y + e * tanh(x * W<"y"> + next(z) * R<"y"> + b<"y">),
            output  = next(y));
        // clang-format on
    }();

    struct initial_values {
        start operator()(parameter_role const&, sizes const& n) const {
            double const bound = 1 / std::sqrt(static_cast<double>(n.units));
            return {init::uniform{-bound, bound}};
        }
    };
};

} // namespace sluice
