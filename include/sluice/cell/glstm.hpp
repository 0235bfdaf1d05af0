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
// acts on the cell state only. The kernels of one group start glorot uniform with the limits of TensorFlow's
// fused kernel; the kernel initialiser does not reach the projection, which starts glorot uniform; biases
// start at 0.
#pragma once

#include <sluice/cell/cell.hpp>

namespace sluice {

template <class Activation, bool Projected>
constexpr auto glstm_equations() {
    using equation::apply, equation::b, equation::gate, equation::grouped, equation::next, equation::R;
    using equation::operator""_n, equation::setting, equation::sigmoid, equation::state, equation::tanh,
        equation::W, equation::x;
    constexpr auto i = gate<"i">;
    constexpr auto j = gate<"j">;
    constexpr auto f = gate<"f">;
    constexpr auto o = gate<"o">;
    constexpr auto c = state<"c">;
    constexpr width recurrent = Projected ? equation::projection : equation::units;
    constexpr auto h = state<"h", recurrent>;
    constexpr auto forget_bias = setting<"forget_bias">(1_n);

    constexpr auto project = [](auto m) {
        if constexpr (Projected)
            return m * W<"P">;
        else
            return m;
    };
    // clang-format off
    return equations(
        i       = x * grouped(W<"i">) + h * grouped(R<"i">) + b<"i">,
        j       = x * grouped(W<"j">) + h * grouped(R<"j">) + b<"j">,
        f       = x * grouped(W<"f">) + h * grouped(R<"f">) + b<"f">,
        o       = x * grouped(W<"o">) + h * grouped(R<"o">) + b<"o">,
        next(c) = sigmoid(f + forget_bias) * c + sigmoid(i) * tanh(j),
        next(h) = project(sigmoid(o) * apply<Activation>(next(c))));
    // clang-format on
}

struct glstm_options {
    std::size_t input = 0;
    std::size_t num_units = 0;
    std::size_t num_proj = 0; ///< of a projected G-LSTM
    std::size_t number_of_groups = 1;
    double forget_bias = 1;
    initializer kernel_initializer = initial::glorot_uniform{}; ///< of the groups' kernels
};

template <class Scalar = float, class Activation = activation::tanh, bool Projected = false,
          class Backend = default_backend, sizes Extents = sizes{}>
class glstm
    : public basic_cell<decltype(glstm_equations<Activation, Projected>()), Scalar, Backend, Extents> {
    using lines = decltype(glstm_equations<Activation, Projected>());
    using base = basic_cell<lines, Scalar, Backend, Extents>;

public:
    explicit glstm(glstm_options const& o, seed from = {})
        : base({.input = o.input,
                .units = o.num_units,
                .projection = o.num_proj,
                .groups = o.number_of_groups},
               from,
               [&](parameter_entry const& p, sizes const& n) -> start {
                   if (p.is_bias)
                       return {initial::zeros{}};
                   return p.rank == 3 ? start_in_kernel<lines>({"i", "j", "f", "o"}, n, o.kernel_initializer)
                                      : start{};
               },
               {{"forget_bias", o.forget_bias}}) {}
};

template <class Scalar = float, class Activation = activation::tanh, class Backend = default_backend>
using projected_glstm = glstm<Scalar, Activation, true, Backend>;

} // namespace sluice
