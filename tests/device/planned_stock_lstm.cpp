// SPDX-License-Identifier: BSL-1.0
#include <device/planned.hpp>

namespace planned_stock_lstm_test {

TEST_CASE_TEMPLATE("planned stock lstm: LSTMs on a CUDA device agree with the reference", Which,
                   support::full_lstm, support::projected_glstm) {
    planned_policy::device_agrees<Which, double>(1e-12);
}

} // namespace planned_stock_lstm_test
