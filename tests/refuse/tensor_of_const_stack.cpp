// SPDX-License-Identifier: BSL-1.0
// A parameter of a stack is assigned to through its map, which is const.
// expect: sluice: a tensor of a map that is const is not assigned to; the parameters of a stack change by net.assign
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>

void set(sluice::stack<sluice::gru>& net, sluice::stack<sluice::gru> const& other) {
#ifdef ACCEPT
    net.assign("layer0/W_r", other.parameters()["layer0/W_r"]);
#else
    net.parameters()["layer0/W_r"] = other.parameters()["layer0/W_r"];
#endif
}
