// SPDX-License-Identifier: BSL-1.0
// The buffer of CudnnLSTM.
#include <sequence/cudnn_buffer.hpp>

namespace cudnn_buffer_lstm_test {

using namespace cudnn_test;

TEST_CASE("cudnn layers: of two layers of CudnnLSTM the matrices of both lie before the biases of both") {
    sluice::cudnn_lstm_layers<float> const lstm({.num_layers = 2, .num_units = 5, .input_size = 3});
    for (auto const& row :
         std::initializer_list<std::pair<std::string_view, std::size_t>>{{"layer0/W_i", 0},
                                                                         {"layer0/W_c", 30},
                                                                         {"layer0/R_i", 60},
                                                                         {"layer0/R_o", 135},
                                                                         {"layer1/W_i", 160},
                                                                         {"layer1/R_i", 260},
                                                                         {"layer0/b_Wi", 360},
                                                                         {"layer0/b_Ri", 380},
                                                                         {"layer1/b_Wi", 400},
                                                                         {"layer1/b_Ro", 435}}) {
        CAPTURE(row.first);
        CHECK(place(lstm, row.first) == row.second);
    }
    CHECK(lstm.params_size() == 440);
}

TEST_CASE("cudnn layers: sizes of the buffer of CudnnLSTM") {
    are_sizes<sluice::cudnn_lstm_layers<float>>({{4, 200, 200, 1286400, 3532800},
                                                 {4, 200, 300, 1366400, 3692800},
                                                 {4, 200, 100, 1206400, 3372800},
                                                 {1, 100, 200, 120800, 241600},
                                                 {2, 200, 100, 563200, 1446400},
                                                 {3, 200, 400, 1124800, 2889600},
                                                 {1, 100, 20, 48800, 97600}});
}

TEST_CASE("cudnn layers: conversions of CudnnLSTM are inverse on every region, and a skipped input has no "
          "matrices") {
    all_conversions_are_inverse<sluice::cudnn_lstm_layers<float>>();
    for (auto const mode : {input_mode::skip_input, input_mode::auto_select})
        are_sizes<sluice::cudnn_lstm_layers<float>>({{1, 5, 5, 100 + 40, 280}}, mode);
}

} // namespace cudnn_buffer_lstm_test
