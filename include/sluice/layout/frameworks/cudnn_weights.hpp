// SPDX-License-Identifier: BSL-1.0
// cuDNN's layers as their matrices and biases one by one (cudnnGetRNNWeightParams; cuDNN developer guide,
// cudnnRNNMode_t), each named by its linear layer: 0, 1, 2 (LSTM also 3) multiply the input, those after
// them h. Matrices act on columns.
//
//   GRU    0, 3: reset gate r     1, 4: update gate i, u here    2, 5: new memory h', n here
//   LSTM   0, 4: i                1, 5: f                        2, 6: c', j here              3, 7: o
//
// All biases are there: CUDNN_RNN_DOUBLE_BIAS.
#pragma once

#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/layout/convention.hpp>

namespace sluice::layout {

/// What the conventions of cuDNN's matrices share.
struct cudnn_names {
    static constexpr std::string_view spellings[] = {"layer{layer}{|_reverse}/{tensor}"};
};

struct cudnn_gru_matrices : cudnn_names {
    using page = cudnn_gru;
    static constexpr std::string_view name = "cuDNN GRU";
    static constexpr tensor tensors[] = {
        {"matrix0", "transposed W_r"},
        {"matrix1", "transposed W_u"},
        {"matrix2", "transposed W_n"},
        {"matrix3", "transposed R_r"},
        {"matrix4", "transposed R_u"},
        {"matrix5", "transposed R_n"},
        {"bias0", "b_r"},
        {"bias1", "b_u"},
        {"bias2", "b_n"},
        {"bias3", "b_r"},
        {"bias4", "b_u"},
        {"bias5", "b_Rn"},
    };
};

struct cudnn_lstm_matrices : cudnn_names {
    using page = lstm;
    static constexpr std::string_view name = "cuDNN LSTM";
    static constexpr tensor tensors[] = {
        {"matrix0", "transposed W_i"},
        {"matrix1", "transposed W_f"},
        {"matrix2", "transposed W_j"},
        {"matrix3", "transposed W_o"},
        {"matrix4", "transposed R_i"},
        {"matrix5", "transposed R_f"},
        {"matrix6", "transposed R_j"},
        {"matrix7", "transposed R_o"},
        {"bias0", "b_i"},
        {"bias1", "b_f + forget_bias"},
        {"bias2", "b_j"},
        {"bias3", "b_o"},
        {"bias4", "b_i"},
        {"bias5", "b_f"},
        {"bias6", "b_j"},
        {"bias7", "b_o"},
    };
};

} // namespace sluice::layout
