// SPDX-License-Identifier: BSL-1.0
// MLX's layers (mlx.nn.GRU, LSTM, RNN; python/mlx/nn/layers/recurrent.py). Matrices act on columns.
//
//   GRU    gates r, z, n: z is u here; reset after the product, whose bias bhn is that of n alone
//   LSTM   gates i, f, g, o; one bias
#pragma once

#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/layout/convention.hpp>

namespace sluice::layout {

struct mlx {
    static constexpr std::string_view spellings[] = {"{tensor}"};
};

struct mlx_gru : mlx {
    using page = cudnn_gru;
    static constexpr std::string_view name = "MLX GRU";
    static constexpr tensor tensors[] = {
        {"Wx", "transposed W_r W_u W_n"},
        {"Wh", "transposed R_r R_u R_n"},
        {"b", "b_r b_u b_n"},
        {"bhn", "b_Rn"},
    };
};

struct mlx_lstm : mlx {
    using page = lstm;
    static constexpr std::string_view name = "MLX LSTM";
    static constexpr tensor tensors[] = {
        {"Wx", "transposed W_i W_f W_j W_o"},
        {"Wh", "transposed R_i R_f R_j R_o"},
        {"bias", "b_i b_f + forget_bias b_j b_o"},
    };
};

struct mlx_rnn : mlx {
    using page = tanh_rnn;
    static constexpr std::string_view name = "MLX RNN";
    static constexpr tensor tensors[] = {
        {"Wxh", "transposed W_h"},
        {"Whh", "transposed R_h"},
        {"bias", "b_h"},
    };
};

} // namespace sluice::layout
