// SPDX-License-Identifier: BSL-1.0
#include <reference/agreement.hpp>
#include <sluice/cells/lstm.hpp>

namespace lstm_peephole_test {

using namespace reference;

TEST_CASE_TEMPLATE("recorded: LSTM with peepholes", How, in_float, interpreted_in_double) {
    reproduces_all<sluice::peephole_lstm, How>("onnx", "lstm_peephole", 4, {{"forget_bias", 0}});
}

} // namespace lstm_peephole_test
