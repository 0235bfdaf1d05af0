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
// The forget bias is added at run time; it is no parameter. Matrices start glorot uniform with the limits of
// TensorFlow's fused kernel [x, h] x [i, j, f, o], biases at 0.
#pragma once

#include <sluice/cell/cell.hpp>

namespace sluice {

struct lstm_features {
    bool peepholes = false;
    bool projection = false;
};

template <class Activation, lstm_features With>
constexpr auto lstm_equations() {
    using equation::apply, equation::b, equation::gate, equation::next, equation::p, equation::R;
    using equation::operator""_n, equation::setting, equation::sigmoid, equation::state, equation::W,
        equation::x;
    constexpr auto i = gate<"i">;
    constexpr auto j = gate<"j">;
    constexpr auto f = gate<"f">;
    constexpr auto o = gate<"o">;
    constexpr auto c = state<"c">;
    constexpr width recurrent = With.projection ? equation::projection : equation::units;
    constexpr auto h = state<"h", recurrent>;
    constexpr auto forget_bias = setting<"forget_bias">(1_n);

    constexpr auto peephole = [](auto z, auto cell, auto weights) {
        if constexpr (With.peepholes)
            return z + cell * weights;
        else
            return z;
    };
    constexpr auto project = [](auto m) {
        if constexpr (With.projection)
            return m * W<"P">;
        else
            return m;
    };
    // clang-format off
    return equations(
        i       = peephole(x * W<"i"> + h * R<"i"> + b<"i">, c, p<"i">),
        j       = x * W<"j"> + h * R<"j"> + b<"j">,
        f       = peephole(x * W<"f"> + h * R<"f"> + b<"f">, c, p<"f">),
        o       = peephole(x * W<"o"> + h * R<"o"> + b<"o">, next(c), p<"o">),
        next(c) = sigmoid(f + forget_bias) * c + sigmoid(i) * apply<Activation>(j),
        next(h) = project(sigmoid(o) * apply<Activation>(next(c))));
    // clang-format on
}

struct lstm_options {
    std::size_t input = 0;
    std::size_t num_units = 0;
    std::size_t num_proj = 0; ///< of a projected LSTM
    double forget_bias = 1;
    initializer kernel_initializer = initial::glorot_uniform{}; ///< of all matrices and peepholes
    initializer bias_initializer = initial::zeros{};
};

template <class Scalar = float, class Activation = activation::tanh, lstm_features With = lstm_features{},
          class Backend = default_backend, sizes Extents = sizes{}>
class lstm : public basic_cell<decltype(lstm_equations<Activation, With>()), Scalar, Backend, Extents> {
    using lines = decltype(lstm_equations<Activation, With>());
    using base = basic_cell<lines, Scalar, Backend, Extents>;

public:
    explicit lstm(lstm_options const& o, seed from = {})
        : base({.input = o.input, .units = o.num_units, .projection = o.num_proj}, from,
               [&](parameter_entry const& p, sizes const& n) -> start {
                   if (p.is_bias)
                       return {o.bias_initializer};
                   return belongs_to(p, {"i", "j", "f", "o"}) && p.rank > 1
                              ? start_in_kernel<lines>({"i", "j", "f", "o"}, n, o.kernel_initializer)
                              : start{o.kernel_initializer};
               },
               {{"forget_bias", o.forget_bias}}) {}
};

template <class Scalar = float, class Activation = activation::tanh, class Backend = default_backend>
using projected_lstm = lstm<Scalar, Activation, lstm_features{.projection = true}, Backend>;

template <class Scalar = float, class Activation = activation::tanh, class Backend = default_backend>
using peephole_lstm = lstm<Scalar, Activation, lstm_features{.peepholes = true}, Backend>;

} // namespace sluice
