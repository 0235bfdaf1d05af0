// SPDX-License-Identifier: BSL-1.0
// GRU, as cuDNN and TensorFlow's CudnnCompatibleGRUCell have it (Cho et al., arXiv 1406.1078v1; cuDNN
// developer guide, CUDNN_GRU): the reset gate acts after the recurrent product, whose own bias is inside it.
// The three recurrent products are then independent of each other.
//
//   r  = sigmoid(x W_r + h R_r + b_r)                   reset gate       [batch, units]
//   u  = sigmoid(x W_u + h R_u + b_u)                   update gate
//   n  = tanh(x W_n + b_n + r . (h R_n + b_Rn))         new memory
//   h' = u . h + (1 - u) . n                            state, and output
//
// Kernels start glorot uniform, those of the gates with the limits of TensorFlow's fused kernel [x, h] x [r,
// u]; the gates' biases start at 1, the others at 0.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct cudnn_gru {
    static constexpr std::string_view name = "cuDNN GRU";
    static constexpr std::string_view source =
        "Cho et al., arXiv 1406.1078v1; cuDNN's CUDNN_GRU, TensorFlow's CudnnCompatibleGRUCell";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto r = gate<"r">;
        constexpr auto u = gate<"u">;
        constexpr auto n = gate<"n">;
        // clang-format off
        return lines(
            r       = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">),
            u       = sigmoid(x * W<"u"> + h * R<"u"> + b<"u">),
            n       = tanh(x * W<"n"> + b<"n"> + r * (h * R<"n"> + b<"Rn">)),
            next(h) = u * h + (1 - u) * n);
        // clang-format on
    }();

    struct initial_values {
        initializer kernel_initializer = init::glorot_uniform{};

        start operator()(parameter_role const& p, sizes const& n) const {
            bool const of_gate = belongs_to(p, {"r", "u"});
            if (p.is_bias)
                return {of_gate ? initializer(init::ones{}) : init::zeros{}};
            return of_gate ? start{kernel_initializer, n.input + n.units, 2 * n.units}
                           : start{kernel_initializer};
        }
    };
};

} // namespace sluice
