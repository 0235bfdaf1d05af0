// SPDX-License-Identifier: BSL-1.0
// All conventions that the library has, in one list: what programs that have to recognise a file walk
// through.
#pragma once

#include <sluice/layout/frameworks/cudnn_weights.hpp>
#include <sluice/layout/frameworks/haste_weights.hpp>
#include <sluice/layout/frameworks/jax_weights.hpp>
#include <sluice/layout/frameworks/keras_weights.hpp>
#include <sluice/layout/frameworks/mlx_weights.hpp>
#include <sluice/layout/frameworks/onednn_weights.hpp>
#include <sluice/layout/frameworks/onnx_weights.hpp>
#include <sluice/layout/frameworks/pytorch_weights.hpp>
#include <sluice/layout/frameworks/tensorflow_weights.hpp>

namespace sluice::layout {

/// Conventions, as types.
template <class... Convention>
struct convention_list {};

using all_conventions =
    convention_list<pytorch_gru, pytorch_lstm, pytorch_projected_lstm, pytorch_rnn<>, pytorch_canonical_gru,
                    pytorch_canonical_lstm, keras_gru, keras_gru_reset_before, keras_lstm, keras_rnn<>,
                    tf_gru_cell, tf_cudnn_compatible_gru_cell, tf_lstm_cell, tf_cudnn_compatible_lstm_cell,
                    tf_peephole_lstm_cell, tf_projected_lstm_cell, tf_glstm_cell, tf_tied_glstm_cell,
                    tf_projected_glstm_cell, tf_rnn_cell, onnx_gru, onnx_gru_reset_before, onnx_lstm,
                    onnx_peephole_lstm, onnx_rnn<>, cudnn_gru_matrices, cudnn_lstm_matrices, onednn_lbr_gru,
                    onednn_gru, onednn_lstm, flax_gru, flax_lstm, flax_rnn, haiku_gru, haiku_lstm, mlx_gru,
                    mlx_lstm, mlx_rnn, haste_gru, haste_lstm>;

} // namespace sluice::layout
