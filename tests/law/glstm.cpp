// SPDX-License-Identifier: BSL-1.0
// Cells of two states with products over groups.
#include "laws.hpp"

namespace glstm_test {

using support::planned, support::reference;

TEST_CASE_TEMPLATE("glstm: every law holds", Subject, planned<support::glstm>, reference<support::glstm>,
                   planned<support::projected_glstm>, reference<support::projected_glstm>,
                   planned<support::projected_glstm, float>) {
    laws::every_law<Subject>();
}
TEST_CASE_TEMPLATE("glstm: the lowerings agree in double", Cell, support::glstm, support::projected_glstm) {
    support::lowerings_agree<Cell, double>();
}

} // namespace glstm_test
