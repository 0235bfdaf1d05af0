// SPDX-License-Identifier: BSL-1.0
// G-LSTM, as TensorFlow's GLSTMCell has it since 1.7 (Kuchaiev and Ginsburg, arXiv 1703.10722): the features
// of x and h are cut into groups, and each group has kernels of its own; groups meet in the optional dense
// projection P only.
//
//   i  = x (x) W_i + h (x) R_i + b_i               input gate            [batch, units]
//   j  = x (x) W_j + h (x) R_j + b_j               new input
//   f  = x (x) W_f + h (x) R_f + b_f               forget gate
//   o  = x (x) W_o + h (x) R_o + b_o               output gate
//   c' = sigmoid(f + forget_bias) . c + sigmoid(i) . tanh(j)             [batch, units]
//   h' = (sigmoid(o) . activation(c')) (W_P)       [batch, units], or [batch, projection] with W_P
//
// (x) is the product over feature groups: W_i is [groups, input / groups, units / groups]. The activation
// acts on the cell state only. The forget bias is a setting, 1 by default. The kernels of one group start
// glorot uniform with the limits of TensorFlow's fused kernel; the kernel initialiser does not reach the
// projection, which starts glorot uniform; biases start at 0.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

template <class Activation, bool Projected = false>
struct glstm_with {
    static constexpr std::string_view name = "G-LSTM";
    static constexpr std::string_view source =
        "Kuchaiev and Ginsburg, arXiv 1703.10722; TensorFlow's GLSTMCell";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto i = gate<"i">;
        constexpr auto j = gate<"j">;
        constexpr auto f = gate<"f">;
        constexpr auto o = gate<"o">;
        constexpr auto c = state<"c">;
        constexpr auto m = state<"h", (Projected ? projection : units)>;
        constexpr auto forget_bias = setting<"forget_bias">(1_n);

        constexpr auto project = [](auto z) {
            if constexpr (Projected)
                return z * W<"P">;
            else
                return z;
        };
        // clang-format off
        return lines(
            i       = x * grouped(W<"i">) + m * grouped(R<"i">) + b<"i">,
            j       = x * grouped(W<"j">) + m * grouped(R<"j">) + b<"j">,
            f       = x * grouped(W<"f">) + m * grouped(R<"f">) + b<"f">,
            o       = x * grouped(W<"o">) + m * grouped(R<"o">) + b<"o">,
            next(c) = sigmoid(f + forget_bias) * c + sigmoid(i) * tanh(j),
            next(m) = project(sigmoid(o) * apply<Activation>(next(c))));
        // clang-format on
    }();

    struct initial_values {
        initializer kernel_initializer = init::glorot_uniform{}; ///< of the groups' kernels

        start operator()(parameter_role const& p, sizes const& n) const {
            std::size_t const recurrent = Projected ? n.projection : n.units;
            return p.rank == 3
                       ? start{kernel_initializer, (n.input + recurrent) / n.groups, 4 * n.units / n.groups}
                       : default_start(p);
        }
    };
};

struct glstm : glstm_with<activation::tanh> {
    /// Two groups, which have to divide both.
    static constexpr sizes sizes_of(std::size_t input, std::size_t units) {
        return {.input = input, .units = units, .groups = 2};
    }
};
struct projected_glstm : glstm_with<activation::tanh, true> {};

} // namespace sluice
