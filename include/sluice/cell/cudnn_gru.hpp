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

#include <sluice/cell/cell.hpp>

namespace sluice {

constexpr auto cudnn_gru_equations() {
    using namespace equation;
    constexpr auto r = gate<"r">;
    constexpr auto u = gate<"u">;
    constexpr auto n = gate<"n">;
    // clang-format off
    return equations(
        r       = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">),
        u       = sigmoid(x * W<"u"> + h * R<"u"> + b<"u">),
        n       = tanh(x * W<"n"> + b<"n"> + r * (h * R<"n"> + b<"Rn">)),
        next(h) = u * h + (1 - u) * n);
    // clang-format on
}

struct cudnn_gru_options {
    std::size_t input = 0;
    std::size_t num_units = 0;
    initializer kernel_initializer = initial::glorot_uniform{};
};

template <class Scalar = float, class Backend = default_backend, sizes Extents = sizes{}>
class cudnn_gru : public basic_cell<decltype(cudnn_gru_equations()), Scalar, Backend, Extents> {
    using lines = decltype(cudnn_gru_equations());
    using base = basic_cell<lines, Scalar, Backend, Extents>;

public:
    explicit cudnn_gru(cudnn_gru_options const& o, seed from = {})
        : base({.input = o.input, .units = o.num_units}, from,
               [&](parameter_entry const& p, sizes const& n) -> start {
                   bool const of_gate = belongs_to(p, {"r", "u"});
                   if (p.is_bias)
                       return {of_gate ? initializer(initial::ones{}) : initial::zeros{}};
                   return of_gate ? start_in_kernel<lines>({"r", "u"}, n, o.kernel_initializer)
                                  : start{o.kernel_initializer};
               }) {}
};

} // namespace sluice
