// SPDX-License-Identifier: BSL-1.0
// Functions of single features, and softmax over all, as layers of a model: pages without parameters, but for
// the slope of prelu.
//
//   tanh_layer       y = tanh(x)                [batch, input] -> [batch, input]
//   prelu_layer      y = x where x > 0, else a . x       (arXiv 1502.01852); a of each feature is trained
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

/// y = tanh(x)
struct tanh_layer {
    static constexpr std::string_view name = "tanh of a layer";
    static constexpr auto equations = lines(equation::output = tanh(equation::x));
};
/// y = 1 / (1 + e^-x)
struct sigmoid_layer {
    static constexpr std::string_view name = "sigmoid of a layer";
    static constexpr auto equations = lines(equation::output = sigmoid(equation::x));
};
/// y = max(x, 0)
struct relu_layer {
    static constexpr std::string_view name = "ReLU of a layer";
    static constexpr auto equations = lines(equation::output = relu(equation::x));
};
/// y = x where x > 0, else e^x - 1 (arXiv 1511.07289)
struct elu_layer {
    static constexpr std::string_view name = "ELU of a layer";
    static constexpr auto equations = lines(equation::output = elu(equation::x));
};
/// y_i = e^x_i / sum over k of e^x_k
struct softmax_layer {
    static constexpr std::string_view name = "softmax of a layer";
    static constexpr auto equations = lines(equation::output = softmax(equation::x));
};
/// y = x where x > 0, else a . x (arXiv 1502.01852)
struct prelu_layer {
    static constexpr std::string_view name = "PReLU of a layer";
    static constexpr auto equations = [] {
        using namespace equation;
        return lines(output = leaky_relu(x, p<"a">));
    }();
};

} // namespace sluice
