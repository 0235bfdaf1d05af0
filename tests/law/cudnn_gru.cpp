// SPDX-License-Identifier: BSL-1.0
#include "laws.hpp"

TEST_CASE_TEMPLATE("cudnn gru: laws of cudnn_gru", Subject, support::planned<support::cudnn_gru>,
                   support::reference<support::cudnn_gru>, support::planned<support::cudnn_gru, float>) {
    laws::every_law<Subject>();
}
TEST_CASE("cudnn_gru: the lowerings agree in double") {
    support::lowerings_agree<support::cudnn_gru, double>();
}
