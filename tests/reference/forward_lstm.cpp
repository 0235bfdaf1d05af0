// SPDX-License-Identifier: BSL-1.0
#include <reference/forward.hpp>
#include <sluice/cells/lstm.hpp>

namespace forward_lstm_test {

using namespace reference;

TEST_CASE("forward lstm: recorded, forward: LSTM") {
    sluice::settings const no_bias{{"forget_bias", 0}};
    runs_forward<sluice::lstm, in_double>("pytorch", "lstm", 2, no_bias);
    runs_forward<sluice::lstm, in_double>("keras", "lstm", 3, no_bias);
    runs_forward<sluice::lstm, in_double>("onnx", "lstm", 2, no_bias);
    runs_forward<sluice::peephole_lstm, in_float>("onnx", "lstm_peephole", 2, no_bias);
    runs_forward<sluice::projected_lstm, interpreted_in_double>("pytorch", "lstm_projected", 2, no_bias);
}

} // namespace forward_lstm_test
