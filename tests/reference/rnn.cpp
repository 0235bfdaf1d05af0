// SPDX-License-Identifier: BSL-1.0
#include <reference/agreement.hpp>
#include <sluice/cells/rnn.hpp>

namespace rnn_test {

using namespace reference;

TEST_CASE_TEMPLATE("recorded: RNN with tanh", How, in_double, in_float, interpreted_in_double) {
    reproduces_all<sluice::tanh_rnn, How>("pytorch", "rnn_tanh", 2);
    reproduces_all<sluice::tanh_rnn, How>("onnx", "rnn_tanh", 4);
}

TEST_CASE_TEMPLATE("recorded: RNN with relu", How, in_double, in_float, interpreted_in_double) {
    reproduces_all<sluice::relu_rnn, How>("pytorch", "rnn_relu", 2);
    reproduces_all<sluice::relu_rnn, How>("onnx", "rnn_relu", 4);
}

} // namespace rnn_test
