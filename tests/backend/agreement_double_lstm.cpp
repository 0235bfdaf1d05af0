// SPDX-License-Identifier: BSL-1.0
#include <support/agreement.hpp>

TEST_CASE_TEMPLATE("agreement double lstm: planned and reference agree in double", Which, support::full_lstm,
                   support::glstm) {
    support::lowerings_agree<Which, double>();
}
