// SPDX-License-Identifier: BSL-1.0
// Only the umbrella of the core is included.
// expect: sluice: <sluice/sluice.hpp> alone has equations but no backend that runs them; include <sluice/xtensor.hpp>
#include <sluice/cells/gru.hpp>
#ifdef ACCEPT
#include <sluice/xtensor.hpp>
#else
#include <sluice/sluice.hpp>
#endif

auto make() {
    return sluice::cell<sluice::gru>({.input = 3, .units = 5});
}
