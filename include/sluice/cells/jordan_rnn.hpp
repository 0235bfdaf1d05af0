// SPDX-License-Identifier: BSL-1.0
// The Jordan network (Jordan, Serial Order: A Parallel Distributed Processing Approach, ICS Report 8604,
// University of California, San Diego, 1986): its output is fed back, where Elman's network feeds back its
// hidden units.
//
//   z  = sigmoid(x W_z + s R_z + b_z)              hidden units          [batch, units]
//   y  = sigmoid(z W_y + b_y)                      output
//   s' = mu s + y                                  what was put out, the state
//
// mu, how much the state keeps of itself, is a setting; 0 by default: the state is the last output.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct jordan_rnn {
    static constexpr std::string_view name = "Jordan RNN";
    static constexpr std::string_view source = "Jordan, ICS Report 8604, 1986";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto z = gate<"z">;
        constexpr auto y = gate<"y">;
        constexpr auto s = state<"s">;
        constexpr auto mu = setting<"mu">(0_n);
        // clang-format off
        return lines(
            z       = sigmoid(x * W<"z"> + s * R<"z"> + b<"z">),
            y       = sigmoid(z * W<"y"> + b<"y">),
            next(s) = mu * s + y,
            output  = y);
        // clang-format on
    }();
};

} // namespace sluice
