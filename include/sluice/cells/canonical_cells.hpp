// SPDX-License-Identifier: BSL-1.0
// cuDNN's cells with cuDNN's own parameters (cuDNN developer guide, cudnnRNNMode_t): the form that TensorFlow
// calls canonical, and that of PyTorch's layers. Matrices act on columns, so that W is [units, input] and R
// [units, units], and each gate has two biases, one inside the product with x and one inside that with h.
//
//   canonical_rnn    h' = activation(x W_h^T + b_Wh + h R_h^T + b_Rh)
//
//   canonical_gru    r  = sigmoid(x W_r^T + b_Wr + h R_r^T + b_Rr)            reset gate
//                    u  = sigmoid(x W_u^T + b_Wu + h R_u^T + b_Ru)            update gate
//                    n  = tanh(x W_n^T + b_Wn + r . (h R_n^T + b_Rn))         new memory
//                    h' = u . h + (1 - u) . n
//
//   canonical_lstm   i  = sigmoid(x W_i^T + b_Wi + h R_i^T + b_Ri)            input gate
//                    f  = sigmoid(x W_f^T + b_Wf + h R_f^T + b_Rf)            forget gate
//                    g  = tanh(x W_c^T + b_Wc + h R_c^T + b_Rc)               new input
//                    o  = sigmoid(x W_o^T + b_Wo + h R_o^T + b_Ro)            output gate
//                    c' = f . c + i . g
//                    h' = o . tanh(c')           or, with a projection, (o . tanh(c')) W_P^T
//
// All are [batch, units], but h with a projection, which is [batch, projection]; W_P is [projection, units].
// The products have lines of their own, so that the parameters are in cuDNN's order: the matrices among
// them, all W, all R, W_P, and the vectors among them, all b_W, all b_R. Each matrix starts glorot uniform by
// itself, biases at 0, as in TensorFlow's layer CudnnGRU.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

/// How the parameters of these cells start.
struct canonical_initial_values {
    initializer kernel_initializer = init::glorot_uniform{};
    initializer bias_initializer = init::zeros{};

    start operator()(parameter_role const& p, sizes const&) const {
        return {p.is_bias ? bias_initializer : kernel_initializer};
    }
};

template <class Activation>
struct canonical_rnn_with {
    static constexpr std::string_view name = "canonical RNN";
    static constexpr std::string_view source = "cuDNN's CUDNN_RNN_TANH and CUDNN_RNN_RELU, PyTorch's RNN";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto xh = gate<"xh">;
        constexpr auto hh = gate<"hh">;
        // clang-format off
        return lines(
            xh      = x * transposed(W<"h">) + b<"Wh">,
            hh      = h * transposed(R<"h">) + b<"Rh">,
            next(h) = apply<Activation>(xh + hh));
        // clang-format on
    }();

    using initial_values = canonical_initial_values;
};

struct canonical_tanh_rnn : canonical_rnn_with<activation::tanh> {};
struct canonical_relu_rnn : canonical_rnn_with<activation::relu> {};

struct canonical_gru {
    static constexpr std::string_view name = "canonical GRU";
    static constexpr std::string_view source =
        "Cho et al., arXiv 1406.1078v1; cuDNN's CUDNN_GRU, TensorFlow's CudnnGRU, PyTorch's GRU";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto xr = gate<"xr">;
        constexpr auto xu = gate<"xu">;
        constexpr auto xn = gate<"xn">;
        constexpr auto hr = gate<"hr">;
        constexpr auto hu = gate<"hu">;
        constexpr auto hn = gate<"hn">;
        constexpr auto r = gate<"r">;
        constexpr auto u = gate<"u">;
        constexpr auto n = gate<"n">;
        // clang-format off
        return lines(
            xr      = x * transposed(W<"r">) + b<"Wr">,
            xu      = x * transposed(W<"u">) + b<"Wu">,
            xn      = x * transposed(W<"n">) + b<"Wn">,
            hr      = h * transposed(R<"r">) + b<"Rr">,
            hu      = h * transposed(R<"u">) + b<"Ru">,
            hn      = h * transposed(R<"n">) + b<"Rn">,
            r       = sigmoid(xr + hr),
            u       = sigmoid(xu + hu),
            n       = tanh(xn + r * hn),
            next(h) = u * h + (1 - u) * n);
        // clang-format on
    }();

    using initial_values = canonical_initial_values;
};

template <bool Projected>
struct canonical_lstm_with {
    static constexpr std::string_view name = "canonical LSTM";
    static constexpr std::string_view source =
        "Gers et al., Learning to Forget, 2000, and Sak et al., arXiv 1402.1128; cuDNN's CUDNN_LSTM, "
        "PyTorch's LSTM";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto xi = gate<"xi">;
        constexpr auto xf = gate<"xf">;
        constexpr auto xc = gate<"xc">;
        constexpr auto xo = gate<"xo">;
        constexpr auto hi = gate<"hi">;
        constexpr auto hf = gate<"hf">;
        constexpr auto hc = gate<"hc">;
        constexpr auto ho = gate<"ho">;
        constexpr auto i = gate<"i">;
        constexpr auto f = gate<"f">;
        constexpr auto g = gate<"g">;
        constexpr auto o = gate<"o">;
        constexpr auto c = state<"c">;
        constexpr auto m = state<"h", (Projected ? projection : units)>;

        constexpr auto project = [](auto z) {
            if constexpr (Projected)
                return z * transposed(W<"P">);
            else
                return z;
        };
        // clang-format off
        return lines(
            xi      = x * transposed(W<"i">) + b<"Wi">,
            xf      = x * transposed(W<"f">) + b<"Wf">,
            xc      = x * transposed(W<"c">) + b<"Wc">,
            xo      = x * transposed(W<"o">) + b<"Wo">,
            hi      = m * transposed(R<"i">) + b<"Ri">,
            hf      = m * transposed(R<"f">) + b<"Rf">,
            hc      = m * transposed(R<"c">) + b<"Rc">,
            ho      = m * transposed(R<"o">) + b<"Ro">,
            i       = sigmoid(xi + hi),
            f       = sigmoid(xf + hf),
            g       = tanh(xc + hc),
            o       = sigmoid(xo + ho),
            next(c) = f * c + i * g,
            next(m) = project(o * tanh(next(c))));
        // clang-format on
    }();

    using initial_values = canonical_initial_values;
};

struct canonical_lstm : canonical_lstm_with<false> {};
struct canonical_projected_lstm : canonical_lstm_with<true> {};

} // namespace sluice
