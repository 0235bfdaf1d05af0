// SPDX-License-Identifier: BSL-1.0
// In double the laws of each cell ask the same, in one size; agreement_double_*.cpp in many.
#include <support/agreement.hpp>

TEST_CASE_TEMPLATE("agreement gru: planned and reference agree in float", Which, support::gru,
                   support::cudnn_gru) {
    support::lowerings_agree<Which, float>();
}
