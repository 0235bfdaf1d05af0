// SPDX-License-Identifier: BSL-1.0
// The simple recurrent network (Elman, Finding Structure in Time, Cognitive Science 14, 1990), as
// TensorFlow's BasicRNNCell has it: no gates, one activation. cuDNN has the same function as CUDNN_RNN_TANH
// and CUDNN_RNN_RELU.
//
//   h' = activation(x W_h + h R_h + b_h)      state, and output      [batch, units]
//
// Matrices start glorot uniform with the limit of TensorFlow's fused kernel [x, h] x [units], the bias at 0.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

template <class Activation>
struct rnn_with {
    static constexpr std::string_view name = "RNN";
    static constexpr std::string_view source =
        "Elman, Cognitive Science 14, 1990; TensorFlow's BasicRNNCell, cuDNN's CUDNN_RNN_TANH and "
        "CUDNN_RNN_RELU";

    static constexpr auto equations = [] {
        using namespace equation;
        return lines(next(h) = apply<Activation>(x * W<"h"> + h * R<"h"> + b<"h">));
    }();

    struct initial_values {
        initializer kernel_initializer = init::glorot_uniform{};
        initializer bias_initializer = init::zeros{};

        start operator()(parameter_role const& p, sizes const& n) const {
            return p.is_bias ? start{bias_initializer}
                             : start{kernel_initializer, n.input + n.units, n.units};
        }
    };
};

struct tanh_rnn : rnn_with<activation::tanh> {};
struct relu_rnn : rnn_with<activation::relu> {};

} // namespace sluice
