// SPDX-License-Identifier: BSL-1.0
#include "laws.hpp"

TEST_CASE_TEMPLATE("rnn: laws of tanh_rnn", Subject, support::planned<support::tanh_rnn>,
                   support::reference<support::tanh_rnn>, support::planned<support::tanh_rnn, float>) {
    laws::every_law<Subject>();
}
TEST_CASE("tanh_rnn: the lowerings agree in double") {
    support::lowerings_agree<support::tanh_rnn, double>();
}
