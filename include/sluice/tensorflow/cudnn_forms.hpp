// SPDX-License-Identifier: BSL-1.0
// What cuDNN and TensorFlow call the canonical pages and their gates, and how TensorFlow's saver lays a layer
// out. The layout is two conventions of weights (layout/convention.hpp) with the same tensors: `cell_table`
// is for the cells that compute the same with TensorFlow's kernels, `layer_table` for the canonical page.
#pragma once

#include <sluice/cells/canonical_cells.hpp>
#include <sluice/layout/frameworks/tensorflow_weights.hpp>
#include <string_view>

namespace sluice::detail {

/// What cuDNN and TensorFlow call a page, its gates in cuDNN's order, the page with TensorFlow's kernels, and
/// the tables.
template <class Page>
struct cudnn_mode;
template <>
struct cudnn_mode<canonical_gru> {
    using compatible = cudnn_gru;
    using cell_table = layout::tf_cudnn_compatible_gru_cell;
    static constexpr std::string_view rnn_mode = "gru", gates = "run";

    struct layer_table : layout::tf_cudnn_gru_names {
        using page = canonical_gru;
        static constexpr std::string_view name = "TensorFlow CudnnGRU";
        static constexpr layout::tensor tensors[] = {
            {"gates/kernel", "transposed W_r R_r / W_u R_u"},
            {"candidate/input_projection/kernel", "transposed W_n"},
            {"candidate/hidden_projection/kernel", "transposed R_n"},
            {"gates/bias", "b_Wr + b_Rr b_Wu + b_Ru"},
            {"candidate/input_projection/bias", "b_Wn"},
            {"candidate/hidden_projection/bias", "b_Rn"},
        };
    };
};
template <>
struct cudnn_mode<canonical_lstm> {
    using compatible = lstm;
    using cell_table = layout::tf_cudnn_compatible_lstm_cell;
    static constexpr std::string_view rnn_mode = "lstm", gates = "ifco";

    struct layer_table : cell_table {
        using page = canonical_lstm;
        static constexpr std::string_view name = "TensorFlow CudnnLSTM";
        static constexpr layout::tensor tensors[] = {
            {"kernel", "transposed W_i R_i / W_c R_c / W_f R_f / W_o R_o"},
            {"bias", "b_Wi + b_Ri b_Wc + b_Rc b_Wf + b_Rf b_Wo + b_Ro"},
        };
    };
};
template <>
struct cudnn_mode<canonical_tanh_rnn> {
    using compatible = tanh_rnn;
    using cell_table = layout::tf_rnn_cell;
    static constexpr std::string_view rnn_mode = "rnn_tanh", gates = "h";

    struct layer_table : cell_table {
        using page = canonical_tanh_rnn;
        static constexpr std::string_view name = "TensorFlow CudnnRNN";
        static constexpr layout::tensor tensors[] = {
            {"kernel", "transposed W_h R_h"},
            {"bias", "b_Wh + b_Rh"},
        };
    };
};
template <>
struct cudnn_mode<canonical_relu_rnn> : cudnn_mode<canonical_tanh_rnn> {
    using compatible = relu_rnn;
    static constexpr std::string_view rnn_mode = "rnn_relu";
};

} // namespace sluice::detail
