// SPDX-License-Identifier: BSL-1.0
// Keras 2 and 3 (keras.layers.GRU, LSTM, SimpleRNN, Bidirectional; keras/src/layers/rnn). Kernels act on
// rows, gates side by side. The update gate z is u here, and keeps the old state; the forget gate's bias is
// stored, and starts at 1.
//
//   GRU    gates z, r, h; with reset_after (the default) the reset gate acts after the product, which has a
//          bias of its own: the second row of the bias. Without it the function is that of sluice::gru
//   LSTM   gates i, f, c, o
//
// Names are those that checkpoint/formats/keras.hpp reads: of a `.weights.h5`, of the legacy formats of Keras
// 2 and 3, where a layer in Bidirectional may have any name and a cell any number, and of the variables
// alone. Layers of one kind are a stack, in the order of their numbers; those in Bidirectional are another
// one. Layers of use_bias=False are read too, of a GRU then by either convention.
#pragma once

#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/layout/convention.hpp>

namespace sluice::layout {

struct keras_gru_names {
    static constexpr std::string_view spellings[] = {
        "layers/gru{_layer}/cell/vars/{number}",
        "layers/bidirectional{_layer}/{forward_layer|backward_layer}/cell/vars/{number}",
        "bidirectional{_layer}/{forward|backward}_{any}/gru_cell{any}/{tensor}:0",
        "{forward|backward}_{any}/gru_cell{any}/{tensor}:0",
        "gru{_layer}/gru_cell{any}/{tensor}:0",
        "bidirectional{_layer}/{forward|backward}_{any}/gru_cell{any}/{tensor}",
        "{forward|backward}_{any}/gru_cell{any}/{tensor}",
        "gru{_layer}/gru_cell{any}/{tensor}",
        "{forward_layer|backward_layer}/cell/vars/{number}",
        "cell/vars/{number}",
        "{tensor}:0",
        "{forward_layer|backward_layer}/{tensor}",
        "{tensor}",
    };
};

struct keras_gru : keras_gru_names {
    using page = cudnn_gru;
    static constexpr std::string_view name = "Keras GRU";
    static constexpr tensor tensors[] = {
        {"kernel", "W_u W_r W_n"},
        {"recurrent_kernel", "R_u R_r R_n"},
        {"bias", "b_u b_r b_n / b_u b_r b_Rn"},
    };
};

/// With reset_after=False.
struct keras_gru_reset_before : keras_gru_names {
    using page = gru;
    static constexpr std::string_view name = "Keras GRU, reset before the product";
    static constexpr tensor tensors[] = {
        {"kernel", "W_u W_r W_n"},
        {"recurrent_kernel", "R_u R_r R_n"},
        {"bias", "b_u b_r b_n"},
    };
};

struct keras_lstm {
    using page = lstm;
    static constexpr std::string_view name = "Keras LSTM";
    static constexpr std::string_view spellings[] = {
        "layers/lstm{_layer}/cell/vars/{number}",
        "layers/bidirectional{_layer}/{forward_layer|backward_layer}/cell/vars/{number}",
        "bidirectional{_layer}/{forward|backward}_{any}/lstm_cell{any}/{tensor}:0",
        "{forward|backward}_{any}/lstm_cell{any}/{tensor}:0",
        "lstm{_layer}/lstm_cell{any}/{tensor}:0",
        "bidirectional{_layer}/{forward|backward}_{any}/lstm_cell{any}/{tensor}",
        "{forward|backward}_{any}/lstm_cell{any}/{tensor}",
        "lstm{_layer}/lstm_cell{any}/{tensor}",
        "{forward_layer|backward_layer}/cell/vars/{number}",
        "cell/vars/{number}",
        "{tensor}:0",
        "{forward_layer|backward_layer}/{tensor}",
        "{tensor}",
    };
    static constexpr tensor tensors[] = {
        {"kernel", "W_i W_f W_j W_o"},
        {"recurrent_kernel", "R_i R_f R_j R_o"},
        {"bias", "b_i b_f + forget_bias b_j b_o"},
    };
};

/// keras.layers.SimpleRNN; its activation is in no weight file: take relu_rnn for "relu".
template <class Page = tanh_rnn>
struct keras_rnn {
    using page = Page;
    static constexpr std::string_view name = "Keras SimpleRNN";
    static constexpr std::string_view spellings[] = {
        "layers/simple_rnn{_layer}/cell/vars/{number}",
        "layers/bidirectional{_layer}/{forward_layer|backward_layer}/cell/vars/{number}",
        "bidirectional{_layer}/{forward|backward}_{any}/simple_rnn_cell{any}/{tensor}:0",
        "{forward|backward}_{any}/simple_rnn_cell{any}/{tensor}:0",
        "simple_rnn{_layer}/simple_rnn_cell{any}/{tensor}:0",
        "bidirectional{_layer}/{forward|backward}_{any}/simple_rnn_cell{any}/{tensor}",
        "{forward|backward}_{any}/simple_rnn_cell{any}/{tensor}",
        "simple_rnn{_layer}/simple_rnn_cell{any}/{tensor}",
        "{forward_layer|backward_layer}/cell/vars/{number}",
        "cell/vars/{number}",
        "{tensor}:0",
        "{forward_layer|backward_layer}/{tensor}",
        "{tensor}",
    };
    static constexpr tensor tensors[] = {
        {"kernel", "W_h"},
        {"recurrent_kernel", "R_h"},
        {"bias", "b_h"},
    };
};

} // namespace sluice::layout
