// SPDX-License-Identifier: BSL-1.0
// What CudnnLSTM computes, and its gradients.
#include <sequence/cudnn_runs.hpp>

namespace cudnn_runs_lstm_test {

using namespace cudnn_test;

TEST_CASE("cudnn layers: TensorFlow's sums of CudnnLSTM") {
    sums_to<sluice::cudnn_lstm_layers<double>>(231833.22649566756, 1e-8, {4, 200, 200, 20, 10});
    sums_to<sluice::cudnn_lstm_layers<float>>(231833.22649566756, 0.05, {4, 200, 200, 20, 10});
}

TEST_CASE("cudnn layers: gradients of CudnnLSTM") {
    check_gradients<sluice::cudnn_lstm_layers<double>>();
}

} // namespace cudnn_runs_lstm_test
