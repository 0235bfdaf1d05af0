// SPDX-License-Identifier: BSL-1.0
#include <reference/agreement.hpp>
#include <sluice/cells/cudnn_gru.hpp>

namespace gru_test {

using namespace reference;

TEST_CASE_TEMPLATE("recorded: GRU that resets after the product", How, in_double, in_float,
                   interpreted_in_double) {
    reproduces_all<sluice::cudnn_gru, How>("pytorch", "gru", 4);
    reproduces_all<sluice::cudnn_gru, How>("keras", "gru_reset_after", 6);
    reproduces_all<sluice::cudnn_gru, How>("onnx", "gru_reset_after", 4);
}

} // namespace gru_test
