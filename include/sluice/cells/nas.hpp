// SPDX-License-Identifier: BSL-1.0
// The recurrent cell that a search over architectures found (Zoph and Le, arXiv 1611.01578), as TensorFlow's
// NASCell has it, without biases.
//
//   l1 = sigmoid(x W_1 + h R_1)        l2 = relu(x W_2 + h R_2)              first layer     [batch, units]
//   l3 = sigmoid(x W_3 + h R_3)        l4 = relu((x W_4) . (h R_4))
//   l5 = tanh(x W_5 + h R_5)           l6 = sigmoid(x W_6 + h R_6)
//   l7 = tanh(x W_7 + h R_7)           l8 = sigmoid(x W_8 + h R_8)
//   m1 = tanh(l1 . l2)                 m2 = tanh(l3 + l4)                    second layer
//   m3 = tanh(l5 . l6)                 m4 = sigmoid(l7 + l8)
//   c' = tanh(m1 + c) . m2                                                   cell
//   h' = tanh(c' . tanh(m3 + m4))                                            state, and output
//
// W_1 to W_8 side by side are TensorFlow's kernel, R_1 to R_8 its recurrent_kernel, and start glorot uniform
// with the limits of those two.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct nas {
    static constexpr std::string_view name = "NAS cell";
    static constexpr std::string_view source = "Zoph and Le, arXiv 1611.01578; TensorFlow's NASCell";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto m1 = gate<"m1">;
        constexpr auto m2 = gate<"m2">;
        constexpr auto m3 = gate<"m3">;
        constexpr auto m4 = gate<"m4">;
        constexpr auto c = state<"c">;
        // clang-format off
        return lines(
            m1      = tanh(sigmoid(x * W<"1"> + h * R<"1">) * relu(x * W<"2"> + h * R<"2">)),
            m2      = tanh(sigmoid(x * W<"3"> + h * R<"3">) + relu((x * W<"4">) * (h * R<"4">))),
            m3      = tanh(tanh(x * W<"5"> + h * R<"5">) * sigmoid(x * W<"6"> + h * R<"6">)),
            m4      = sigmoid(tanh(x * W<"7"> + h * R<"7">) + sigmoid(x * W<"8"> + h * R<"8">)),
            next(c) = tanh(m1 + c) * m2,
            next(h) = tanh(next(c) * tanh(m3 + m4)));
        // clang-format on
    }();

    struct initial_values {
        initializer kernel_initializer = init::glorot_uniform{};

        start operator()(parameter_role const&, sizes const& n) const {
            return {kernel_initializer, 0, 8 * n.units};
        }
    };
};

} // namespace sluice
