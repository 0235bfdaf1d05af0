// SPDX-License-Identifier: BSL-1.0
// Quasi-recurrent network (Bradbury et al., arXiv 1611.01576): a convolution over time, here of width 2,
// makes the gates, and a pooling without any matrix combines them. x_t-1 is the input of the step before.
//
//   z  = tanh(x_t-1 V_z + x W_z + b_z)             candidate             [batch, units]
//   f  = sigmoid(x_t-1 V_f + x W_f + b_f)          forget gate
//   o  = sigmoid(x_t-1 V_o + x W_o + b_o)          output gate
//   i  = sigmoid(x_t-1 V_i + x W_i + b_i)          input gate
//
//   h' = f . h + (1 - f) . z                       qrnn_f
//   c' = f . c + (1 - f) . z,    y = o . c'        qrnn_fo
//   c' = f . c + i . z,          y = o . c'        qrnn_ifo
//
// The convolution is masked: it does not look ahead, and the input before the first is 0. The paper's
// equations leave the biases out.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {
namespace detail {

/// What the poolings have in common.
struct qrnn {
    static constexpr std::string_view source = "Bradbury et al., arXiv 1611.01576";

    static constexpr auto z = equation::gate<"z">;
    static constexpr auto f = equation::gate<"f">;
    static constexpr auto o = equation::gate<"o">;
    static constexpr auto i = equation::gate<"i">;
    static constexpr auto c = equation::state<"c">;

    template <literal Gate>
    static constexpr auto V = equation::parameter_term<key<Gate, 'V', '_'>, equation::form::matrix>{};

    /// The convolution of a gate, by the gate's letter.
    template <literal Gate>
    static constexpr auto filtered = [] {
        using namespace equation;
        return delay<1>(x) * V<Gate> + x * W<Gate> + b<Gate>;
    }();
};

} // namespace detail

struct qrnn_f : detail::qrnn {
    static constexpr std::string_view name = "QRNN, f-pooling";

    static constexpr auto equations = [] {
        using namespace equation;
        // clang-format off
        return lines(
            z       = tanh(filtered<"z">),
            f       = sigmoid(filtered<"f">),
            next(h) = f * h + (1 - f) * z);
        // clang-format on
    }();
};

struct qrnn_fo : detail::qrnn {
    static constexpr std::string_view name = "QRNN, fo-pooling";

    static constexpr auto equations = [] {
        using namespace equation;
        // clang-format off
        return lines(
            z       = tanh(filtered<"z">),
            f       = sigmoid(filtered<"f">),
            o       = sigmoid(filtered<"o">),
            next(c) = f * c + (1 - f) * z,
            output  = o * next(c));
        // clang-format on
    }();
};

struct qrnn_ifo : detail::qrnn {
    static constexpr std::string_view name = "QRNN, ifo-pooling";

    static constexpr auto equations = [] {
        using namespace equation;
        // clang-format off
        return lines(
            z       = tanh(filtered<"z">),
            f       = sigmoid(filtered<"f">),
            o       = sigmoid(filtered<"o">),
            i       = sigmoid(filtered<"i">),
            next(c) = f * c + i * z,
            output  = o * next(c));
        // clang-format on
    }();
};

} // namespace sluice
