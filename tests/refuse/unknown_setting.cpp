// SPDX-License-Identifier: BSL-1.0
// A key that is no setting.
// cure: Correct the name; print<page>() shows where the equations read their settings.
// expect: sluice: the equations have no setting of that name
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor.hpp>

using namespace sluice::equation;
using namespace sluice::literals;

void set(sluice::cell<sluice::lstm>& cell) {
#ifdef ACCEPT
    cell.set_setting("forget_bias"_s, 1);
#else
    cell.set_setting("bias"_s, 1);
#endif
}
