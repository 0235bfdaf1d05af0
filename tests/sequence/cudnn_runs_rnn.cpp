// SPDX-License-Identifier: BSL-1.0
// What CudnnRNNTanh and CudnnRNNRelu compute, and their gradients.
#include <sequence/cudnn_runs.hpp>

namespace cudnn_runs_rnn_test {

using namespace cudnn_test;

TEST_CASE("cudnn layers: TensorFlow's sums of CudnnRNNTanh and CudnnRNNRelu") {
    sums_to<sluice::cudnn_tanh_rnn_layers<double>>(56000, 1e-9, {4, 200, 200, 20, 10});
    sums_to<sluice::cudnn_relu_rnn_layers<double>>(130688, 0, {2, 8, 4, 4, 2});
    sums_to<sluice::cudnn_relu_rnn_layers<float>>(130688, 0, {2, 8, 4, 4, 2});
}

TEST_CASE("cudnn layers: gradients of CudnnRNNTanh and CudnnRNNRelu") {
    check_gradients<sluice::cudnn_tanh_rnn_layers<double>>();
    check_gradients<sluice::cudnn_relu_rnn_layers<double>>(1e-5); // where no sum changes its sign
}

} // namespace cudnn_runs_rnn_test
