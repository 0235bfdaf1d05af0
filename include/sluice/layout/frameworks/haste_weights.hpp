// SPDX-License-Identifier: BSL-1.0
// haste's layers (haste_pytorch.GRU, LSTM; lmnt-com/haste). Kernels act on rows.
//
//   GRU    gates z, r, g: z is u here, g is n; reset after the product, two biases for each gate
//   LSTM   gates i, g, f, o: g is j here; one bias, of which the forget gate's holds what is added to it
#pragma once

#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/layout/convention.hpp>

namespace sluice::layout {

struct haste {
    static constexpr std::string_view spellings[] = {"{tensor}"};
};

struct haste_gru : haste {
    using page = cudnn_gru;
    static constexpr std::string_view name = "haste GRU";
    static constexpr tensor tensors[] = {
        {"kernel", "W_u W_r W_n"},
        {"recurrent_kernel", "R_u R_r R_n"},
        {"bias", "b_u b_r b_n"},
        {"recurrent_bias", "b_u b_r b_Rn"},
    };
};

struct haste_lstm : haste {
    using page = lstm;
    static constexpr std::string_view name = "haste LSTM";
    static constexpr tensor tensors[] = {
        {"kernel", "W_i W_j W_f W_o"},
        {"recurrent_kernel", "R_i R_j R_f R_o"},
        {"bias", "b_i b_j b_f + forget_bias b_o"},
    };
};

} // namespace sluice::layout
