// SPDX-License-Identifier: BSL-1.0
// coRNN, the coupled oscillatory recurrent network (Rusch and Mishra, arXiv 2010.00951): units are damped
// oscillators, y'' = tanh(y R_y + y' R_z + x W + b) - gamma y - epsilon y', with speeds z = y'.
//
//   a  = tanh(x W_a + y R_y + z R_z + b_a)         force                 [batch, units]
//   z' = z + dt (a - gamma y - epsilon z)          speed
//   y' = y + dt z'                                 place, and output
//
// The damping takes the speed before the step, as in the authors' code. In the paper's implicit-explicit
// form, `imex_cornn`, it takes the one after the step, which the equation is then solved for:
//
//   z' = (z + dt (a - gamma y)) / (1 + dt epsilon)
//
// The step dt, the frequency gamma and the damping epsilon are settings: 0.042, 2.7 and 4.7 by default, the
// authors' for sequential MNIST. Matrices start glorot uniform, the bias at 0.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

template <bool Implicit>
struct cornn_with {
    static constexpr std::string_view name = Implicit ? "coRNN (IMEX)" : "coRNN";
    static constexpr std::string_view source = "Rusch and Mishra, arXiv 2010.00951";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto a = gate<"a">;
        constexpr auto y = state<"y">;
        constexpr auto z = state<"z">;
        constexpr auto dt = setting<"dt">(0.042_n);
        constexpr auto gamma = setting<"gamma">(2.7_n);
        constexpr auto epsilon = setting<"epsilon">(4.7_n);
        constexpr auto speed = [=] {
            if constexpr (Implicit)
                return (z + dt * (a - gamma * y)) / (1 + dt * epsilon);
            else
                return z + dt * (a - gamma * y - epsilon * z);
        };
        // clang-format off
        return lines(
            a       = tanh(x * W<"a"> + y * R<"y"> + z * R<"z"> + b<"a">),
            next(z) = speed(),
            next(y) = y + dt * next(z),
            output  = next(y));
        // clang-format on
    }();
};

struct cornn : cornn_with<false> {};
struct imex_cornn : cornn_with<true> {};

} // namespace sluice
