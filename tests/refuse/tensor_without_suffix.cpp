// SPDX-License-Identifier: BSL-1.0
// A name that is a plain string.
// expect: sluice: a key is a literal with the suffix _s
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>

using namespace sluice::literals;

float first(sluice::cell<sluice::gru> const& cell) {
    auto const& parameters = cell.parameters();
#ifdef ACCEPT
    (void)parameters["W_r"_s];
#else
    (void)parameters["W_r"];
#endif
    return 0;
}
