// SPDX-License-Identifier: BSL-1.0
// The operators GRU, LSTM and RNN of ONNX (onnx/defs/rnn/defs.cc, operator set 14 and later). Matrices act on
// columns; the first axis of each tensor counts directions. Names of initialisers are arbitrary: those here
// are the names of the operator's inputs, after that of the node.
//
//   GRU    gates z, r, h; linear_before_reset=1: reset after the product. 0, the default, differs
//   LSTM   gates i, o, f, c; peepholes i, o, f
#pragma once

#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/layout/convention.hpp>

namespace sluice::layout {

struct onnx {
    static constexpr std::string_view spellings[] = {"{tensor}"};
};

/// With linear_before_reset=1.
struct onnx_gru : onnx {
    using page = cudnn_gru;
    static constexpr std::string_view name = "ONNX GRU, linear_before_reset";
    static constexpr tensor tensors[] = {
        {"W", "[direction] transposed W_u W_r W_n"},
        {"R", "[direction] transposed R_u R_r R_n"},
        {"B", "[direction] b_u b_r b_n b_u b_r b_Rn"},
    };
};

/// With linear_before_reset=0.
struct onnx_gru_reset_before : onnx {
    using page = gru;
    static constexpr std::string_view name = "ONNX GRU";
    static constexpr tensor tensors[] = {
        {"W", "[direction] transposed W_u W_r W_n"},
        {"R", "[direction] transposed R_u R_r R_n"},
        {"B", "[direction] b_u b_r b_n b_u b_r b_n"},
    };
};

struct onnx_lstm : onnx {
    using page = lstm;
    static constexpr std::string_view name = "ONNX LSTM";
    static constexpr tensor tensors[] = {
        {"W", "[direction] transposed W_i W_o W_f W_j"},
        {"R", "[direction] transposed R_i R_o R_f R_j"},
        {"B", "[direction] b_i b_o b_f + forget_bias b_j b_i b_o b_f b_j"},
    };
};

struct onnx_peephole_lstm : onnx {
    using page = peephole_lstm;
    static constexpr std::string_view name = "ONNX LSTM with peepholes";
    static constexpr tensor tensors[] = {
        {"W", "[direction] transposed W_i W_o W_f W_j"},
        {"R", "[direction] transposed R_i R_o R_f R_j"},
        {"B", "[direction] b_i b_o b_f + forget_bias b_j b_i b_o b_f b_j"},
        {"P", "[direction] p_i p_o p_f"},
    };
};

/// activations: Tanh, the default; take relu_rnn for Relu.
template <class Page = tanh_rnn>
struct onnx_rnn : onnx {
    using page = Page;
    static constexpr std::string_view name = "ONNX RNN";
    static constexpr tensor tensors[] = {
        {"W", "[direction] transposed W_h"},
        {"R", "[direction] transposed R_h"},
        {"B", "[direction] b_h b_h"},
    };
};

} // namespace sluice::layout
