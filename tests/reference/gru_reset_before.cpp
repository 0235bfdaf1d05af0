// SPDX-License-Identifier: BSL-1.0
#include <reference/agreement.hpp>
#include <sluice/cells/gru.hpp>

namespace gru_reset_before_test {

using namespace reference;

TEST_CASE_TEMPLATE("recorded: GRU that resets before the product", How, in_double, in_float,
                   interpreted_in_double) {
    reproduces_all<sluice::gru, How>("keras", "gru_reset_before", 6);
    reproduces_all<sluice::gru, How>("onnx", "gru_reset_before", 4);
}

} // namespace gru_reset_before_test
