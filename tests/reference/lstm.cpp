// SPDX-License-Identifier: BSL-1.0
#include <reference/agreement.hpp>
#include <sluice/cells/lstm.hpp>

namespace lstm_test {

using namespace reference;

TEST_CASE_TEMPLATE("recorded: LSTM", How, in_double, in_float, interpreted_in_double) {
    reproduces_all<sluice::lstm, How>("pytorch", "lstm", 4, {{"forget_bias", 0}});
    reproduces_all<sluice::lstm, How>("keras", "lstm", 6, {{"forget_bias", 0}});
    reproduces_all<sluice::lstm, How>("onnx", "lstm", 4, {{"forget_bias", 0}});
}

} // namespace lstm_test
