// SPDX-License-Identifier: BSL-1.0
// oneDNN's vanilla_rnn, vanilla_gru, lbr_gru and vanilla_lstm primitives (developer guide, RNN), as the
// arrays that a program gives them: weights in the format ldigo, [layers, directions, input, gates, units],
// biases in ldgo.
//
//   lbr_gru       gates u, r, o, n here; reset after the product, with a fourth bias for it
//   vanilla_gru   the same gates; reset before the product
//   vanilla_lstm  gates i, f, c~, o; c~ is j here
#pragma once

#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/layout/convention.hpp>

namespace sluice::layout {

struct onednn {
    static constexpr std::string_view spellings[] = {"{tensor}"};
};

struct onednn_lbr_gru : onednn {
    using page = cudnn_gru;
    static constexpr std::string_view name = "oneDNN lbr_gru";
    static constexpr tensor tensors[] = {
        {"weights_layer", "[layer direction] apart W_u W_r W_n"},
        {"weights_iter", "[layer direction] apart R_u R_r R_n"},
        {"bias", "[layer direction] apart b_u b_r b_n b_Rn"},
    };
};

struct onednn_gru : onednn {
    using page = gru;
    static constexpr std::string_view name = "oneDNN vanilla_gru";
    static constexpr tensor tensors[] = {
        {"weights_layer", "[layer direction] apart W_u W_r W_n"},
        {"weights_iter", "[layer direction] apart R_u R_r R_n"},
        {"bias", "[layer direction] apart b_u b_r b_n"},
    };
};

struct onednn_lstm : onednn {
    using page = lstm;
    static constexpr std::string_view name = "oneDNN vanilla_lstm";
    static constexpr tensor tensors[] = {
        {"weights_layer", "[layer direction] apart W_i W_f W_j W_o"},
        {"weights_iter", "[layer direction] apart R_i R_f R_j R_o"},
        {"bias", "[layer direction] apart b_i b_f + forget_bias b_j b_o"},
    };
};

} // namespace sluice::layout
