// SPDX-License-Identifier: BSL-1.0
// A parameter of a cell is assigned to through its map, which is const.
// expect: sluice: a tensor of a map that is const is not assigned to; the parameters of a cell change by cell.assign
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>

using namespace sluice::literals;

void set(sluice::cell<sluice::gru>& cell, sluice::cell<sluice::gru> const& other) {
#ifdef ACCEPT
    cell.assign("W_r"_s, other.parameters()["W_r"_s]);
#else
    cell.parameters()["W_r"_s] = other.parameters()["W_r"_s];
#endif
}
