// SPDX-License-Identifier: BSL-1.0
// LSTM whose forget gate is what the input gate leaves, the variant CIFG of Greff et al., arXiv 1503.04069,
// with the peepholes p of that paper's LSTM.
//
//   i  = sigmoid(x W_i + h R_i + c . p_i + b_i)        input gate            [batch, units]
//   z  = tanh(x W_z + h R_z + b_z)                     block input
//   c' = (1 - i) . c + i . z                           cell
//   o  = sigmoid(x W_o + h R_o + c' . p_o + b_o)       output gate
//   h' = o . tanh(c')                                  state, and output
//
// `coupled_lstm_with<false>` is without peepholes. TensorFlow's CoupledInputForgetGateLSTMCell couples the
// other way round: it has a forget gate f with a forget bias, and 1 - f where i stands here; -W_i, -R_i, -p_i
// and -b_i are the parameters of that gate.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

template <bool Peepholes>
struct coupled_lstm_with {
    static constexpr std::string_view name = "Coupled LSTM";
    static constexpr std::string_view source = "Greff et al., arXiv 1503.04069 (CIFG)";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto i = gate<"i">;
        constexpr auto z = gate<"z">;
        constexpr auto o = gate<"o">;
        constexpr auto c = state<"c">;

        constexpr auto peephole = [](auto sum, auto cell, auto weights) {
            if constexpr (Peepholes)
                return sum + cell * weights;
            else
                return sum;
        };
        // clang-format off
        return lines(
            i       = sigmoid(peephole(x * W<"i"> + h * R<"i"> + b<"i">, c, p<"i">)),
            z       = tanh(x * W<"z"> + h * R<"z"> + b<"z">),
            o       = sigmoid(peephole(x * W<"o"> + h * R<"o"> + b<"o">, next(c), p<"o">)),
            next(c) = (1 - i) * c + i * z,
            next(h) = o * tanh(next(c)));
        // clang-format on
    }();
};

struct coupled_lstm : coupled_lstm_with<true> {};

} // namespace sluice
