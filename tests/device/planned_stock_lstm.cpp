// SPDX-License-Identifier: BSL-1.0
#include <device/planned.hpp>

TEST_CASE_TEMPLATE("LSTMs on a CUDA device agree with the reference", Which, support::full_lstm,
                   support::projected_glstm) {
    device::device_agrees<Which, double>(1e-12);
}
