// SPDX-License-Identifier: BSL-1.0
#include <device/planned.hpp>

namespace planned_stock_test {

TEST_CASE_TEMPLATE("planned stock: stock cells on a CUDA device agree with the reference", Which,
                   support::gru, support::cudnn_gru, support::relu_rnn, support::full_lstm,
                   support::projected_glstm) {
    planned_policy::device_agrees<Which, double>(1e-12);
}

} // namespace planned_stock_test
