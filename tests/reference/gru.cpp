// SPDX-License-Identifier: BSL-1.0
// GRUs that reset after the recurrent product.
#include <reference/agreement.hpp>

TEST_CASE_TEMPLATE("recorded: GRU, reset after the product", How,
                   reference::computed<double, reference::planned>,
                   reference::computed<float, reference::planned>,
                   reference::computed<double, reference::interpreted>,
                   reference::computed<float, reference::interpreted>) {
    reference::reproduces_all<sluice::cudnn_gru, How>("pytorch", "gru", 4);
    reference::reproduces_all<sluice::cudnn_gru, How>("keras", "gru_reset_after", 6);
    reference::reproduces_all<sluice::cudnn_gru, How>("onnx", "gru_reset_after", 4);
}
