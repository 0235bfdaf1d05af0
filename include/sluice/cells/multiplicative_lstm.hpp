// SPDX-License-Identifier: BSL-1.0
// Multiplicative LSTM (Krause et al., arXiv 1609.07959): the input chooses, feature by feature, what of the
// state the gates see. m stands wherever an LSTM has h.
//
//   m  = (x W_m) . (h R_m)                     intermediate state    [batch, units]
//   i  = sigmoid(x W_i + m R_i + b_i)          input gate
//   j  = tanh(x W_j + m R_j + b_j)             new input
//   f  = sigmoid(x W_f + m R_f + b_f)          forget gate
//   o  = sigmoid(x W_o + m R_o + b_o)          output gate
//   c' = f . c + i . j                         cell
//   h' = o . tanh(c')                          state, and output
//
// m is as wide as the state, and has no bias. The paper calls it mLSTM; that of arXiv 2405.04517, whose
// memory is a matrix, is another cell.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct multiplicative_lstm {
    static constexpr std::string_view name = "Multiplicative LSTM";
    static constexpr std::string_view source = "Krause et al., arXiv 1609.07959";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto m = gate<"m">;
        constexpr auto i = gate<"i">;
        constexpr auto j = gate<"j">;
        constexpr auto f = gate<"f">;
        constexpr auto o = gate<"o">;
        constexpr auto c = state<"c">;
        // clang-format off
        return lines(
            m       = (x * W<"m">) * (h * R<"m">),
            i       = sigmoid(x * W<"i"> + m * R<"i"> + b<"i">),
            j       = tanh(x * W<"j"> + m * R<"j"> + b<"j">),
            f       = sigmoid(x * W<"f"> + m * R<"f"> + b<"f">),
            o       = sigmoid(x * W<"o"> + m * R<"o"> + b<"o">),
            next(c) = f * c + i * j,
            next(h) = o * tanh(next(c)));
        // clang-format on
    }();
};

} // namespace sluice
