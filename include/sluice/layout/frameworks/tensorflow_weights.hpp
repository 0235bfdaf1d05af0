// SPDX-License-Identifier: BSL-1.0
// TensorFlow's cells (tf.compat.v1.nn.rnn_cell, tf.contrib.rnn, tf.contrib.cudnn_rnn; rnn_cell_impl.py,
// rnn_cell.py, cudnn_rnn_ops.py of 1.4 to 1.15) as checkpoints of dynamic_rnn, MultiRNNCell and the stacked
// bidirectional runs name them. Kernels act on rows of [x, h], so that those of x stand above those of h.
//
//   GRUCell                  gates r, u in one kernel, the candidate in another; reset before the product
//   CudnnCompatibleGRUCell   reset after the product, with a bias of its own
//   LSTMCell, BasicLSTMCell  gates i, j, f, o; forget_bias, by default 1, is added at run time
//   GLSTMCell                a kernel for each group, biases over all of them, a dense projection
//
// The layers of CudnnGRU and CudnnLSTM are saved as CudnnCompatible cells of these names.
#pragma once

#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/layout/convention.hpp>

namespace sluice::layout {

struct tf_gru_cell {
    using page = gru;
    static constexpr std::string_view name = "TensorFlow GRUCell";
    static constexpr std::string_view spellings[] = {
        "rnn/multi_rnn_cell/cell_{layer}/gru_cell/{tensor}",
        "stack_bidirectional_rnn/cell_{layer}/bidirectional_rnn/{fw|bw}/gru_cell/{tensor}",
        "bidirectional_rnn/{fw|bw}/gru_cell/{tensor}",
        "rnn/gru_cell/{tensor}",
        "gru_cell/{tensor}",
        "{tensor}",
    };
    static constexpr tensor tensors[] = {
        {"gates/kernel", "W_r W_u / R_r R_u"},
        {"gates/bias", "b_r b_u"},
        {"candidate/kernel", "W_n / R_n"},
        {"candidate/bias", "b_n"},
    };
};

struct tf_cudnn_gru_names {
    static constexpr std::string_view spellings[] = {
        "rnn/multi_rnn_cell/cell_{layer}/cudnn_compatible_gru_cell/{tensor}",
        "stack_bidirectional_rnn/cell_{layer}/bidirectional_rnn/{fw|bw}/cudnn_compatible_gru_cell/{tensor}",
        "rnn/cudnn_compatible_gru_cell/{tensor}",
        "cudnn_compatible_gru_cell/{tensor}",
        "{tensor}",
    };
};

struct tf_cudnn_compatible_gru_cell : tf_cudnn_gru_names {
    using page = cudnn_gru;
    static constexpr std::string_view name = "TensorFlow CudnnCompatibleGRUCell";
    static constexpr tensor tensors[] = {
        {"gates/kernel", "W_r W_u / R_r R_u"},         {"candidate/input_projection/kernel", "W_n"},
        {"candidate/hidden_projection/kernel", "R_n"}, {"gates/bias", "b_r b_u"},
        {"candidate/input_projection/bias", "b_n"},    {"candidate/hidden_projection/bias", "b_Rn"},
    };
};

struct tf_lstm_names {
    static constexpr std::string_view spellings[] = {
        "rnn/multi_rnn_cell/cell_{layer}/lstm_cell/{tensor}",
        "rnn/multi_rnn_cell/cell_{layer}/basic_lstm_cell/{tensor}",
        "stack_bidirectional_rnn/cell_{layer}/bidirectional_rnn/{fw|bw}/lstm_cell/{tensor}",
        "bidirectional_rnn/{fw|bw}/lstm_cell/{tensor}",
        "rnn/lstm_cell/{tensor}",
        "rnn/basic_lstm_cell/{tensor}",
        "basic_lstm_cell/{tensor}", // before the one that it ends with
        "lstm_cell/{tensor}",
        "{tensor}",
    };
    static constexpr run_time_setting settings[] = {{"forget_bias", 1}};
};

/// LSTMCell and BasicLSTMCell.
struct tf_lstm_cell : tf_lstm_names {
    using page = lstm;
    static constexpr std::string_view name = "TensorFlow LSTMCell";
    static constexpr tensor tensors[] = {
        {"kernel", "W_i W_j W_f W_o / R_i R_j R_f R_o"},
        {"bias", "b_i b_j b_f + forget_bias b_o"},
    };
};

/// The LSTM of cudnn_rnn, which adds no forget bias.
struct tf_cudnn_compatible_lstm_cell {
    using page = lstm;
    static constexpr std::string_view name = "TensorFlow CudnnCompatibleLSTMCell";
    static constexpr std::string_view spellings[] = {
        "rnn/multi_rnn_cell/cell_{layer}/cudnn_compatible_lstm_cell/{tensor}",
        "stack_bidirectional_rnn/cell_{layer}/bidirectional_rnn/{fw|bw}/cudnn_compatible_lstm_cell/{tensor}",
        "rnn/cudnn_compatible_lstm_cell/{tensor}",
        "cudnn_compatible_lstm_cell/{tensor}",
        "{tensor}",
    };
    static constexpr tensor tensors[] = {
        {"kernel", "W_i W_j W_f W_o / R_i R_j R_f R_o"},
        {"bias", "b_i b_j b_f + forget_bias b_o"},
    };
};

/// With use_peepholes.
struct tf_peephole_lstm_cell : tf_lstm_names {
    using page = peephole_lstm;
    static constexpr std::string_view name = "TensorFlow LSTMCell with peepholes";
    static constexpr tensor tensors[] = {
        {"kernel", "W_i W_j W_f W_o / R_i R_j R_f R_o"},
        {"bias", "b_i b_j b_f + forget_bias b_o"},
        {"w_i_diag", "p_i"},
        {"w_f_diag", "p_f"},
        {"w_o_diag", "p_o"},
    };
};

/// With num_proj.
struct tf_projected_lstm_cell : tf_lstm_names {
    using page = projected_lstm;
    static constexpr std::string_view name = "TensorFlow LSTMCell with projection";
    static constexpr tensor tensors[] = {
        {"kernel", "W_i W_j W_f W_o / R_i R_j R_f R_o"},
        {"bias", "b_i b_j b_f + forget_bias b_o"},
        {"projection/kernel", "W_P"},
    };
};

struct tf_glstm_cell {
    using page = glstm;
    static constexpr std::string_view name = "TensorFlow GLSTMCell";
    static constexpr std::string_view spellings[] = {
        "rnn/multi_rnn_cell/cell_{layer}/glstm_cell/{tensor}",
        "rnn/glstm_cell/{tensor}",
        "glstm_cell/{tensor}",
        "{tensor}",
    };
    static constexpr run_time_setting settings[] = {{"forget_bias", 1}};
    static constexpr tensor tensors[] = {
        {"group{group}/kernel", "W_i W_j W_f W_o / R_i R_j R_f R_o"},
        {"bias_i", "b_i"},
        {"bias_j", "b_j"},
        {"bias_f", "b_f + forget_bias"},
        {"bias_o", "b_o"},
    };
};

/// As 1.4 to 1.6 wrote it, with the kernel of one group for all (tensorflow issue 16703).
struct tf_tied_glstm_cell : tf_glstm_cell {
    static constexpr std::string_view name = "TensorFlow GLSTMCell of 1.4 to 1.6";
    static constexpr bool ties_groups = true;
};

struct tf_projected_glstm_cell : tf_glstm_cell {
    using page = glstm_with<activation::tanh, true>;
    static constexpr std::string_view name = "TensorFlow GLSTMCell with projection";
    static constexpr tensor tensors[] = {
        {"group{group}/kernel", "W_i W_j W_f W_o / R_i R_j R_f R_o"},
        {"bias_i", "b_i"},
        {"bias_j", "b_j"},
        {"bias_f", "b_f + forget_bias"},
        {"bias_o", "b_o"},
        {"projection/kernel", "W_P"},
    };
};

/// BasicRNNCell.
struct tf_rnn_cell {
    using page = tanh_rnn;
    static constexpr std::string_view name = "TensorFlow BasicRNNCell";
    static constexpr std::string_view spellings[] = {
        "rnn/multi_rnn_cell/cell_{layer}/basic_rnn_cell/{tensor}",
        "stack_bidirectional_rnn/cell_{layer}/bidirectional_rnn/{fw|bw}/basic_rnn_cell/{tensor}",
        "rnn/basic_rnn_cell/{tensor}",
        "basic_rnn_cell/{tensor}",
        "{tensor}",
    };
    static constexpr tensor tensors[] = {
        {"kernel", "W_h / R_h"},
        {"bias", "b_h"},
    };
};

} // namespace sluice::layout
