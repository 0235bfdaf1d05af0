// SPDX-License-Identifier: BSL-1.0
#include "laws.hpp"

TEST_CASE_TEMPLATE("glstm: laws of glstm", Subject, support::planned<support::glstm>,
                   support::reference<support::glstm>) {
    laws::every_law<Subject>();
}
TEST_CASE("glstm: the lowerings agree in double") {
    support::lowerings_agree<support::glstm, double>();
}
