// SPDX-License-Identifier: BSL-1.0
// What stands after the page of a cell is no policy.
// expect: sluice: a policy of a cell is a scalar such as double, a backend such as sluice::xtensor::reference, or sizes
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>

auto make() {
#ifdef ACCEPT
    return sluice::cell<sluice::gru, double>({.input = 3, .units = 5});
#else
    return sluice::cell<sluice::gru, int>({.input = 3, .units = 5});
#endif
}
