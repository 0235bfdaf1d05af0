// SPDX-License-Identifier: BSL-1.0
// ESN, the echo state network with leaky units (Jaeger et al., Neural Networks 20, 2007): a random reservoir
// that is never trained; only what reads it is.
//
//   n  = tanh(x W_h + h R_h + b_h)                 reservoir             [batch, units]
//   h' = (1 - leak) h + leak n                     state
//   y  = h' W_y + x W_P + b_y                      output                [batch, units]
//
// W_h, R_h and b_h are fixed. The entries of R_h start uniform within radius sqrt(3 / units), which gives a
// large matrix a spectral radius near `radius`; those of W_h and b_h uniform within `input_scale`. The leak
// is a setting, 0.3 by default. The readout starts glorot uniform and its bias at 0; ridge regression finds
// it at once.
#pragma once

#include <cmath>
#include <sluice/expr/page.hpp>

namespace sluice {

struct echo_state {
    static constexpr std::string_view name = "ESN";
    static constexpr std::string_view source = "Jaeger et al., Neural Networks 20, 2007";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto n = gate<"n">;
        constexpr auto leak = setting<"leak">(0.3_n);
        // clang-format off
        return lines(
            n       = tanh(x * fixed(W<"h">) + h * fixed(R<"h">) + fixed(b<"h">)),
            next(h) = (1 - leak) * h + leak * n,
            output  = next(h) * W<"y", units> + x * W<"P"> + b<"y">);
        // clang-format on
    }();

    struct initial_values {
        double radius = 0.9;
        double input_scale = 1;

        start operator()(parameter_role const& p, sizes const& n) const {
            double const recurrent = radius * std::sqrt(3 / static_cast<double>(n.units));
            return p.trained                  ? default_start(p)
                   : p.called.view() == "R_h" ? start{init::uniform{-recurrent, recurrent}}
                                              : start{init::uniform{-input_scale, input_scale}};
        }
    };
};

} // namespace sluice
