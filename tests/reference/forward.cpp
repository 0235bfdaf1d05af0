// SPDX-License-Identifier: BSL-1.0
#include <reference/forward.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/rnn.hpp>

namespace forward_test {

using namespace reference;

TEST_CASE("forward: recorded, forward: GRU") {
    runs_forward<sluice::cudnn_gru, in_double>("pytorch", "gru", 2);
    runs_forward<sluice::cudnn_gru, in_double>("keras", "gru_reset_after", 3);
    runs_forward<sluice::cudnn_gru, in_double>("onnx", "gru_reset_after", 2);
    runs_forward<sluice::gru, in_float>("keras", "gru_reset_before", 3);
    runs_forward<sluice::gru, in_float>("onnx", "gru_reset_before", 2);
}

TEST_CASE("forward: recorded, forward: RNN") {
    runs_forward<sluice::tanh_rnn, in_double>("pytorch", "rnn_tanh", 1);
    runs_forward<sluice::tanh_rnn, in_double>("onnx", "rnn_tanh", 2);
    runs_forward<sluice::relu_rnn, interpreted_in_double>("pytorch", "rnn_relu", 1);
    runs_forward<sluice::relu_rnn, interpreted_in_double>("onnx", "rnn_relu", 2);
}

} // namespace forward_test
