// SPDX-License-Identifier: BSL-1.0
// A name that is none of the parameters.
// expect: sluice: there is no tensor of that name; print<page>.. shows the names
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>

using namespace sluice::literals;

float first(sluice::cell<sluice::gru> const& cell) {
    auto const& parameters = cell.parameters();
#ifdef ACCEPT
    (void)parameters["W_r"_s];
#else
    (void)parameters["W_z"_s];
#endif
    return 0;
}
