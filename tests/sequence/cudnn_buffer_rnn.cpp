// SPDX-License-Identifier: BSL-1.0
// The buffer of CudnnRNNTanh and CudnnRNNRelu.
#include <sequence/cudnn_buffer.hpp>

namespace cudnn_buffer_rnn_test {

using namespace cudnn_test;

TEST_CASE("cudnn layers: the forward direction of a layer lies before the backward one") {
    sluice::cudnn_tanh_rnn_layers<float> const both(
        {.num_layers = 2, .num_units = 5, .input_size = 3, .direction = direction::bidirectional});
    CHECK(place(both, "layer0/backward/W_h") == 40);
    CHECK(place(both, "layer1/forward/W_h") == 80);
    CHECK(place(both, "layer0/forward/b_Wh") == 80 + 2 * (50 + 25));
    CHECK(place(both, "layer0/backward/b_Wh") == place(both, "layer0/forward/b_Wh") + 10);
}

TEST_CASE("cudnn layers: conversions of CudnnRNNTanh and CudnnRNNRelu are inverse on every region, and a "
          "skipped input has no matrices") {
    all_conversions_are_inverse<sluice::cudnn_tanh_rnn_layers<float>>();
    all_conversions_are_inverse<sluice::cudnn_relu_rnn_layers<float>>();
    for (auto const mode : {input_mode::skip_input, input_mode::auto_select}) {
        are_sizes<sluice::cudnn_tanh_rnn_layers<float>>({{1, 5, 5, 25 + 10, 70}}, mode);
        are_sizes<sluice::cudnn_relu_rnn_layers<float>>({{3, 2, 2, 8 + 12 + 12, 16 + 2 * 16 + 2 * 16}}, mode);
    }
}

} // namespace cudnn_buffer_rnn_test
