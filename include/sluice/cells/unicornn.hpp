// SPDX-License-Identifier: BSL-1.0
// UnICORNN, the undamped independent controlled oscillatory network (Rusch and Mishra, arXiv 2103.05487):
// each unit is an oscillator of its own with a time step of its own, and the steps keep a Hamiltonian
// (symplectic Euler).
//
//   d  = dt sigmoid(c)                             time steps            [units]
//   z' = z - d . (tanh(x W_y + p_y . y + b_y) + alpha y)                 [batch, units]
//   y' = y + d . z'                                place, and output
//
// c is trained. The largest step dt and the force alpha are settings, which the paper searches for each task;
// 0.1 and 1 are the library's defaults. As in the authors' code p_y starts uniform from 0 to 1 and c from
// -0.1 to 0.1; the matrix starts glorot uniform, the bias at 0. The paper's networks are stacks of this cell.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct unicornn {
    static constexpr std::string_view name = "UnICORNN";
    static constexpr std::string_view source = "Rusch and Mishra, arXiv 2103.05487";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto d = gate<"d">;
        constexpr auto y = state<"y">;
        constexpr auto z = state<"z">;
        constexpr auto dt = setting<"dt">(0.1_n);
        constexpr auto alpha = setting<"alpha">(1_n);
        // clang-format off
        return lines(
            d       = dt * sigmoid(vector<"c">),
            next(z) = z - d * (tanh(x * W<"y"> + p<"y"> * y + b<"y">) + alpha * y),
            next(y) = y + d * next(z),
            output  = next(y));
        // clang-format on
    }();

    struct initial_values {
        start operator()(parameter_role const& p, sizes const&) const {
            return p.called.view() == "p_y" ? start{init::uniform{0, 1}}
                   : p.called.view() == "c" ? start{init::uniform{-0.1, 0.1}}
                                            : default_start(p);
        }
    };
};

} // namespace sluice
