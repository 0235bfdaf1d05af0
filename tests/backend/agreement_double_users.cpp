// SPDX-License-Identifier: BSL-1.0
#include <support/agreement.hpp>

TEST_CASE_TEMPLATE("agreement double users: planned and reference agree in double", Which, support::tanh_rnn,
                   support::traced) {
    support::lowerings_agree<Which, double>();
}
