// SPDX-License-Identifier: BSL-1.0
#include <reference/agreement.hpp>
#include <sluice/cells/lstm.hpp>

namespace lstm_projected_test {

using namespace reference;

TEST_CASE_TEMPLATE("recorded: LSTM with projection", How, in_double, in_float, interpreted_in_double) {
    reproduces_all<sluice::projected_lstm, How>("pytorch", "lstm_projected", 4, {{"forget_bias", 0}});
}

} // namespace lstm_projected_test
