// SPDX-License-Identifier: BSL-1.0
// Two scalars for one cell.
// expect: sluice: a cell has one scalar, one backend and one sluice::extents; give each once
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>

auto make() {
#ifdef ACCEPT
    return sluice::cell<sluice::gru, double>({.input = 3, .units = 5});
#else
    return sluice::cell<sluice::gru, double, float>({.input = 3, .units = 5});
#endif
}
