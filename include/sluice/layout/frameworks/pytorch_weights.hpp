// SPDX-License-Identifier: BSL-1.0
// PyTorch's layers and cells (torch.nn.GRU, LSTM, RNN, their Cell forms; documentation of each). Matrices act
// on columns, so that W is [gates units, input]; each gate has two biases, which are one where the equations
// add them.
//
//   GRU    gates r, z, n: z is the update gate u here, and keeps the old state; reset after the product
//   LSTM   gates i, f, g, o: g is the new input j here; no forget bias but the stored ones
//
// A prefix is what a module is called in its model, with the dot: "encoder.".
#pragma once

#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/layout/convention.hpp>

namespace sluice::layout {

struct pytorch {
    static constexpr std::string_view spellings[] = {"{tensor}_l{layer}{|_reverse}", "{tensor}"};
};

struct pytorch_gru : pytorch {
    using page = cudnn_gru;
    static constexpr std::string_view name = "PyTorch GRU";
    static constexpr tensor tensors[] = {
        {"weight_ih", "transposed W_r W_u W_n"},
        {"weight_hh", "transposed R_r R_u R_n"},
        {"bias_ih", "b_r b_u b_n"},
        {"bias_hh", "b_r b_u b_Rn"},
    };
};

/// With all biases apart, so that nothing is lost.
struct pytorch_canonical_gru : pytorch {
    using page = canonical_gru;
    static constexpr std::string_view name = "PyTorch GRU, both biases";
    static constexpr tensor tensors[] = {
        {"weight_ih", "W_r / W_u / W_n"},
        {"weight_hh", "R_r / R_u / R_n"},
        {"bias_ih", "b_Wr b_Wu b_Wn"},
        {"bias_hh", "b_Rr b_Ru b_Rn"},
    };
};

struct pytorch_lstm : pytorch {
    using page = lstm;
    static constexpr std::string_view name = "PyTorch LSTM";
    static constexpr tensor tensors[] = {
        {"weight_ih", "transposed W_i W_f W_j W_o"},
        {"weight_hh", "transposed R_i R_f R_j R_o"},
        {"bias_ih", "b_i b_f + forget_bias b_j b_o"},
        {"bias_hh", "b_i b_f b_j b_o"},
    };
};

struct pytorch_canonical_lstm : pytorch {
    using page = canonical_lstm;
    static constexpr std::string_view name = "PyTorch LSTM, both biases";
    static constexpr tensor tensors[] = {
        {"weight_ih", "W_i / W_f / W_c / W_o"},
        {"weight_hh", "R_i / R_f / R_c / R_o"},
        {"bias_ih", "b_Wi b_Wf b_Wc b_Wo"},
        {"bias_hh", "b_Ri b_Rf b_Rc b_Ro"},
    };
};

/// torch.nn.LSTM with proj_size.
struct pytorch_projected_lstm : pytorch {
    using page = projected_lstm;
    static constexpr std::string_view name = "PyTorch LSTM with projection";
    static constexpr tensor tensors[] = {
        {"weight_ih", "transposed W_i W_f W_j W_o"},
        {"weight_hh", "transposed R_i R_f R_j R_o"},
        {"bias_ih", "b_i b_f + forget_bias b_j b_o"},
        {"bias_hh", "b_i b_f b_j b_o"},
        {"weight_hr", "transposed W_P"},
    };
};

/// torch.nn.RNN; its nonlinearity is in no file: take relu_rnn for "relu".
template <class Page = tanh_rnn>
struct pytorch_rnn : pytorch {
    using page = Page;
    static constexpr std::string_view name = "PyTorch RNN";
    static constexpr tensor tensors[] = {
        {"weight_ih", "transposed W_h"},
        {"weight_hh", "transposed R_h"},
        {"bias_ih", "b_h"},
        {"bias_hh", "b_h"},
    };
};

} // namespace sluice::layout
