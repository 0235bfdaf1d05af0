// SPDX-License-Identifier: BSL-1.0
// GRU, as TensorFlow's GRUCell has it (Cho et al., arXiv 1406.1078v3): the reset gate acts before the
// recurrent product, and the update gate keeps the old state.
//
//   r  = sigmoid(x W_r + h R_r + b_r)              reset gate            [batch, units]
//   u  = sigmoid(x W_u + h R_u + b_u)              update gate
//   n  = activation(x W_n + (r . h) R_n + b_n)     candidate
//   h' = u . h + (1 - u) . n                       state, and output
//
// Kernels start glorot uniform with the limits of TensorFlow's fused kernels, [x, h] x [r, u] and [x, h] x
// [n]; the gates' biases start at 1, the candidate's at 0.
#pragma once

#include <optional>
#include <sluice/expr/page.hpp>

namespace sluice {

template <class Activation>
struct gru_with {
    static constexpr std::string_view name = "GRU";
    static constexpr std::string_view source = "Cho et al., arXiv 1406.1078v3; TensorFlow's GRUCell";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto r = gate<"r">;
        constexpr auto u = gate<"u">;
        constexpr auto n = gate<"n">;
        // clang-format off
        return lines(
            r       = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">),
            u       = sigmoid(x * W<"u"> + h * R<"u"> + b<"u">),
            n       = apply<Activation>(x * W<"n"> + (r * h) * R<"n"> + b<"n">),
            next(h) = u * h + (1 - u) * n);
        // clang-format on
    }();

    struct initial_values {
        initializer kernel_initializer = init::glorot_uniform{};
        std::optional<initializer> bias_initializer{}; ///< given: of all biases, the gates' too

        start operator()(parameter_role const& p, sizes const& n) const {
            bool const of_gate = belongs_to(p, {"r", "u"});
            if (p.is_bias)
                return {bias_initializer.value_or(of_gate ? initializer(init::ones{}) : init::zeros{})};
            return {kernel_initializer, n.input + n.units, (of_gate ? 2 : 1) * n.units};
        }
    };
};

struct gru : gru_with<activation::tanh> {};

} // namespace sluice
