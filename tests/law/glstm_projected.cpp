// SPDX-License-Identifier: BSL-1.0
#include "laws.hpp"

TEST_CASE_TEMPLATE("glstm projected: laws of projected glstm with softplus", Subject,
                   support::planned<support::projected_glstm>, support::reference<support::projected_glstm>,
                   support::planned<support::projected_glstm, float>) {
    laws::every_law<Subject>();
}
TEST_CASE("projected glstm with softplus: the lowerings agree in double") {
    support::lowerings_agree<support::projected_glstm, double>();
}
