// SPDX-License-Identifier: BSL-1.0
// What cuDNN and TensorFlow call the canonical pages and their gates, and which tensors TensorFlow's saver
// makes of a layer (cudnn_saved.hpp has the table).
#pragma once

#include <array>
#include <cstddef>
#include <sluice/cell/canonical.hpp>
#include <sluice/cell/cudnn_gru.hpp>
#include <sluice/cell/lstm.hpp>
#include <sluice/cell/rnn.hpp>
#include <string_view>

namespace sluice::detail {

/// A tensor of the saver: some gates of a layer, side by side, of the product with x, of that with h, or
/// both.
struct saved_form {
    std::string_view called;
    bool is_bias;
    bool of_input, of_state;
    std::string_view gates; ///< their letters in the page, in order
};

/// One gate in a tensor of the saver: `rows` rows and as many columns as there are units; of a bias one row.
template <class Tensor>
struct saved_block {
    Tensor& tensor;
    std::size_t first, rows, columns; ///< where it begins, and how wide the tensor is
    char gate;                        ///< its letter in the page
    bool is_bias, of_input, of_state; ///< a bias can be of both

    auto& at(std::size_t row, std::size_t unit) const { return tensor.values[first + row * columns + unit]; }
};

/// What cuDNN and TensorFlow call a page, its gates in cuDNN's order, the page with TensorFlow's kernels, how
/// that one calls the gates, and the form in which it is saved.
template <class Page>
struct cudnn_mode;
template <>
struct cudnn_mode<canonical_gru> {
    using compatible = cudnn_gru;
    static constexpr std::string_view rnn_mode = "gru", cell = "cudnn_compatible_gru_cell", gates = "run",
                                      cell_gates = "run";
    static constexpr std::array<saved_form, 6> forms{{
        {"gates/kernel", false, true, true, "ru"},
        {"candidate/input_projection/kernel", false, true, false, "n"},
        {"candidate/hidden_projection/kernel", false, false, true, "n"},
        {"gates/bias", true, true, true, "ru"},
        {"candidate/input_projection/bias", true, true, false, "n"},
        {"candidate/hidden_projection/bias", true, false, true, "n"},
    }};
};
template <>
struct cudnn_mode<canonical_lstm> {
    using compatible = lstm;
    static constexpr std::string_view rnn_mode = "lstm", cell = "cudnn_compatible_lstm_cell", gates = "ifco",
                                      cell_gates = "ifjo";
    static constexpr std::array<saved_form, 2> forms{{
        {"kernel", false, true, true, "icfo"},
        {"bias", true, true, true, "icfo"},
    }};
};
template <>
struct cudnn_mode<canonical_tanh_rnn> {
    using compatible = tanh_rnn;
    static constexpr std::string_view rnn_mode = "rnn_tanh", cell = "basic_rnn_cell", gates = "h",
                                      cell_gates = "h";
    static constexpr std::array<saved_form, 2> forms{{
        {"kernel", false, true, true, "h"},
        {"bias", true, true, true, "h"},
    }};
};
template <>
struct cudnn_mode<canonical_relu_rnn> : cudnn_mode<canonical_tanh_rnn> {
    using compatible = relu_rnn;
    static constexpr std::string_view rnn_mode = "rnn_relu";
};

} // namespace sluice::detail
