// SPDX-License-Identifier: BSL-1.0
#include "laws.hpp"

TEST_CASE_TEMPLATE("lstm full: laws of lstm with peepholes and projection", Subject,
                   support::planned<support::full_lstm>, support::reference<support::full_lstm>,
                   support::planned<support::full_lstm, float>) {
    laws::every_law<Subject>();
}
TEST_CASE("lstm with peepholes and projection: the lowerings agree in double") {
    support::lowerings_agree<support::full_lstm, double>();
}
