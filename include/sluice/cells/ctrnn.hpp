// SPDX-License-Identifier: BSL-1.0
// CTRNN, the continuous-time recurrent network (Funahashi and Nakamura, Neural Networks 6, 1993; Beer,
// Adaptive Behavior 3, 1995): leaky integrators, tau . dh/dt = -h + sigmoid(h + b_h) R_h + x W_h, in Euler
// steps.
//
//   h' = h + dt (x W_h + sigmoid(h + b_h) R_h - h) / tau                 state, and output     [batch, units]
//
// The time constants tau [units] are trained and start at 1; the step dt is a setting, 0.1 by default, and
// has to be small beside them. The matrices start glorot uniform, the bias at 0.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct ctrnn {
    static constexpr std::string_view name = "CTRNN";
    static constexpr std::string_view source =
        "Funahashi and Nakamura, Neural Networks 6, 1993; Beer, Adaptive Behavior 3, 1995";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto dt = setting<"dt">(0.1_n);
        return lines(next(h) = h + dt * (x * W<"h"> + sigmoid(h + b<"h">) * R<"h"> - h) / vector<"tau">);
    }();

    struct initial_values {
        double time_constant = 1;

        start operator()(parameter_role const& p, sizes const&) const {
            return p.called.view() == "tau" ? start{init::constant{time_constant}} : default_start(p);
        }
    };
};

} // namespace sluice
