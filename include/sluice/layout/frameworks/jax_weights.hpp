// SPDX-License-Identifier: BSL-1.0
// Flax (flax.linen.GRUCell, LSTMCell, SimpleCell; flax/linen/recurrent.py) and Haiku (hk.GRU, hk.LSTM;
// haiku/_src/recurrent.py). Kernels act on rows. Parts of a name are joined with /, as flatten_dict does with
// sep="/".
//
//   Flax GRUCell    a matrix for each gate, no biases inside the products with h but that of the candidate
//   Flax LSTMCell   gates i, f, g, o; biases inside the products with h
//   Haiku GRU       gates z, r, a side by side; z multiplies the candidate: u = 1 - z, and so the signs of z
//                   turn; reset before the product
//   Haiku LSTM      gates i, g, f, o on [x, h]; 1 is added to f at run time
#pragma once

#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/layout/convention.hpp>

namespace sluice::layout {

struct flax {
    static constexpr std::string_view spellings[] = {"{tensor}"};
};

struct flax_gru : flax {
    using page = cudnn_gru;
    static constexpr std::string_view name = "Flax GRUCell";
    static constexpr tensor tensors[] = {
        {"ir/kernel", "W_r"}, {"iz/kernel", "W_u"}, {"in/kernel", "W_n"}, {"hr/kernel", "R_r"},
        {"hz/kernel", "R_u"}, {"hn/kernel", "R_n"}, {"ir/bias", "b_r"},   {"iz/bias", "b_u"},
        {"in/bias", "b_n"},   {"hn/bias", "b_Rn"},
    };
};

struct flax_lstm : flax {
    using page = lstm;
    static constexpr std::string_view name = "Flax LSTMCell";
    static constexpr tensor tensors[] = {
        {"ii/kernel", "W_i"}, {"if/kernel", "W_f"},
        {"ig/kernel", "W_j"}, {"io/kernel", "W_o"},
        {"hi/kernel", "R_i"}, {"hf/kernel", "R_f"},
        {"hg/kernel", "R_j"}, {"ho/kernel", "R_o"},
        {"hi/bias", "b_i"},   {"hf/bias", "b_f + forget_bias"},
        {"hg/bias", "b_j"},   {"ho/bias", "b_o"},
    };
};

/// flax.linen.SimpleCell.
struct flax_rnn : flax {
    using page = tanh_rnn;
    static constexpr std::string_view name = "Flax SimpleCell";
    static constexpr tensor tensors[] = {
        {"i/kernel", "W_h"},
        {"i/bias", "b_h"},
        {"h/kernel", "R_h"},
    };
};

struct haiku_gru {
    using page = gru;
    static constexpr std::string_view name = "Haiku GRU";
    static constexpr std::string_view spellings[] = {"gru/{tensor}", "{tensor}"};
    static constexpr tensor tensors[] = {
        {"w_i", "-W_u W_r W_n"},
        {"w_h", "-R_u R_r R_n"},
        {"b", "-b_u b_r b_n"},
    };
};

struct haiku_lstm {
    using page = lstm;
    static constexpr std::string_view name = "Haiku LSTM";
    static constexpr std::string_view spellings[] = {"lstm/{tensor}", "{tensor}"};
    static constexpr run_time_setting settings[] = {{"forget_bias", 1}};
    static constexpr tensor tensors[] = {
        {"linear/w", "W_i W_j W_f W_o / R_i R_j R_f R_o"},
        {"linear/b", "b_i b_j b_f + forget_bias b_o"},
    };
};

} // namespace sluice::layout
