// SPDX-License-Identifier: BSL-1.0
#include "laws.hpp"

TEST_CASE_TEMPLATE("rnn relu: laws of relu_rnn", Subject, support::planned<support::relu_rnn>,
                   support::reference<support::relu_rnn>) {
    laws::every_law<Subject>();
}
TEST_CASE("relu_rnn: the lowerings agree in double") {
    support::lowerings_agree<support::relu_rnn, double>();
}
