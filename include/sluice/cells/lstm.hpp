// SPDX-License-Identifier: BSL-1.0
// LSTM, as TensorFlow's LSTMCell has it (Sak et al., arXiv 1402.1128), with optional peepholes p and an
// optional projection P of the output, which is then what recurs.
//
//   i  = x W_i + h R_i + b_i  (+ c . p_i)          input gate            [batch, units]
//   j  = x W_j + h R_j + b_j                       new input
//   f  = x W_f + h R_f + b_f  (+ c . p_f)          forget gate
//   o  = x W_o + h R_o + b_o  (+ c' . p_o)         output gate
//   c' = sigmoid(f + forget_bias) . c + sigmoid(i) . activation(j)       [batch, units]
//   h' = (sigmoid(o) . activation(c')) (W_P)       [batch, units], or [batch, projection] with W_P
//
// The forget bias is a setting, 1 by default; it is no parameter. Matrices start glorot uniform with the
// limits of TensorFlow's fused kernel [x, h] x [i, j, f, o], biases at 0.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

template <class Activation, bool Peepholes = false, bool Projected = false>
struct lstm_with {
    static constexpr std::string_view name = "LSTM";
    static constexpr std::string_view source = "Sak et al., arXiv 1402.1128; TensorFlow's LSTMCell";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto i = gate<"i">;
        constexpr auto j = gate<"j">;
        constexpr auto f = gate<"f">;
        constexpr auto o = gate<"o">;
        constexpr auto c = state<"c">;
        constexpr auto m = state<"h", (Projected ? projection : units)>;
        constexpr auto forget_bias = setting<"forget_bias">(1_n);

        constexpr auto peephole = [](auto z, auto cell, auto weights) {
            if constexpr (Peepholes)
                return z + cell * weights;
            else
                return z;
        };
        constexpr auto project = [](auto z) {
            if constexpr (Projected)
                return z * W<"P">;
            else
                return z;
        };
        // clang-format off
        return lines(
            i       = peephole(x * W<"i"> + m * R<"i"> + b<"i">, c, p<"i">),
            j       = x * W<"j"> + m * R<"j"> + b<"j">,
            f       = peephole(x * W<"f"> + m * R<"f"> + b<"f">, c, p<"f">),
            o       = peephole(x * W<"o"> + m * R<"o"> + b<"o">, next(c), p<"o">),
            next(c) = sigmoid(f + forget_bias) * c + sigmoid(i) * apply<Activation>(j),
            next(m) = project(sigmoid(o) * apply<Activation>(next(c))));
        // clang-format on
    }();

    struct initial_values {
        initializer kernel_initializer = init::glorot_uniform{}; ///< of all matrices and peepholes
        initializer bias_initializer = init::zeros{};

        start operator()(parameter_role const& p, sizes const& n) const {
            if (p.is_bias)
                return {bias_initializer};
            return belongs_to(p, {"i", "j", "f", "o"}) && p.rank > 1
                       ? start{kernel_initializer, n.input + (Projected ? n.projection : n.units),
                               4 * n.units}
                       : start{kernel_initializer};
        }
    };
};

struct lstm : lstm_with<activation::tanh> {};
struct peephole_lstm : lstm_with<activation::tanh, true> {};
struct projected_lstm : lstm_with<activation::tanh, false, true> {
    static constexpr sizes sizes_of(std::size_t input, std::size_t units) {
        return {.input = input, .units = units, .projection = (units + 1) / 2};
    }
};

} // namespace sluice
