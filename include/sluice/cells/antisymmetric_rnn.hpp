// SPDX-License-Identifier: BSL-1.0
// AntisymmetricRNN (Chang et al., arXiv 1902.09689), and its gated form: an Euler step of a differential
// equation whose matrix has imaginary eigenvalues only, but for a little damping, so that states neither grow
// nor vanish.
//
//   a  = h (R - R^T) - gamma h                     recurrence            [batch, units]
//   n  = tanh(x W_h + a + b_h)                     change of the state
//   h' = h + epsilon n                             state, and output
//
// gated, with the same recurrence in both:
//
//   z  = sigmoid(x W_z + a + b_z)                  gate
//   h' = h + epsilon z . n
//
// The paper's W acts on columns and is R^T. The step epsilon and the diffusion gamma are settings, both 0.01
// by default; the paper searches them for each task. Matrices start glorot uniform, biases at 0.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

template <bool Gated>
struct antisymmetric_rnn_with {
    static constexpr std::string_view name = Gated ? "Gated AntisymmetricRNN" : "AntisymmetricRNN";
    static constexpr std::string_view source = "Chang et al., arXiv 1902.09689";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto a = gate<"a">;
        constexpr auto z = gate<"z">;
        constexpr auto n = gate<"n">;
        constexpr auto epsilon = setting<"epsilon">(0.01_n);
        constexpr auto gamma = setting<"gamma">(0.01_n);
        constexpr auto recurrence = a = h * (matrix<"R"> - transposed(matrix<"R">)) - gamma * h;
        constexpr auto change = n = tanh(x * W<"h"> + a + b<"h">);
        // clang-format off
        if constexpr (Gated)
            return lines(
                recurrence,
                change,
                z       = sigmoid(x * W<"z"> + a + b<"z">),
                next(h) = h + epsilon * z * n);
        else
            return lines(
                recurrence,
                change,
                next(h) = h + epsilon * n);
        // clang-format on
    }();
};

struct antisymmetric_rnn : antisymmetric_rnn_with<false> {};
struct gated_antisymmetric_rnn : antisymmetric_rnn_with<true> {};

} // namespace sluice
