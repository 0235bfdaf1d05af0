// SPDX-License-Identifier: BSL-1.0
// What CudnnGRU computes, and its gradients.
#include <sequence/cudnn_runs.hpp>

namespace cudnn_runs_gru_test {

using namespace cudnn_test;

TEST_CASE("cudnn layers: TensorFlow's sums of CudnnGRU") {
    sums_to<sluice::cudnn_gru_layers<double>>(56000, 1e-9, {4, 200, 200, 20, 10});
}

TEST_CASE("cudnn layers: gradients of CudnnGRU") {
    check_gradients<sluice::cudnn_gru_layers<double>>();
}

} // namespace cudnn_runs_gru_test
