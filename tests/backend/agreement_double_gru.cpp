// SPDX-License-Identifier: BSL-1.0
#include <support/agreement.hpp>

TEST_CASE_TEMPLATE("agreement double gru: planned and reference agree in double", Which, support::gru,
                   support::cudnn_gru) {
    support::lowerings_agree<Which, double>();
}
