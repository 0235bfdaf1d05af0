// SPDX-License-Identifier: BSL-1.0
// subLSTM (Costa et al., Cortical microcircuits as gated-recurrent neural networks, arXiv 1711.02448): input
// and output gates subtract, as inhibition does, where those of an LSTM multiply.
//
//   z  = sigmoid(x W_z + h R_z + b_z)              input                 [batch, units]
//   i  = sigmoid(x W_i + h R_i + b_i)              input gate
//   f  = sigmoid(x W_f + h R_f + b_f)              forget gate
//   o  = sigmoid(x W_o + h R_o + b_o)              output gate
//   c' = f . c + z - i                             cell
//   h' = sigmoid(c') - o                           state, and output
//
// The paper's fix-subLSTM has a trained vector in place of f.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct sub_lstm {
    static constexpr std::string_view name = "subLSTM";
    static constexpr std::string_view source = "Costa et al., arXiv 1711.02448";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto z = gate<"z">;
        constexpr auto i = gate<"i">;
        constexpr auto f = gate<"f">;
        constexpr auto o = gate<"o">;
        constexpr auto c = state<"c">;
        // clang-format off
        return lines(
            z       = sigmoid(x * W<"z"> + h * R<"z"> + b<"z">),
            i       = sigmoid(x * W<"i"> + h * R<"i"> + b<"i">),
            f       = sigmoid(x * W<"f"> + h * R<"f"> + b<"f">),
            o       = sigmoid(x * W<"o"> + h * R<"o"> + b<"o">),
            next(c) = f * c + z - i,
            next(h) = sigmoid(next(c)) - o);
        // clang-format on
    }();
};

} // namespace sluice
