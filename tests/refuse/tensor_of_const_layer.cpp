// SPDX-License-Identifier: BSL-1.0
// A parameter of a stack is assigned to in the copy of a layer's map that a const map gives, which is gone at
// once.
// expect: sluice: a tensor of a map that is const is not assigned to
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>

using namespace sluice::literals;

void set(sluice::stack<sluice::gru>& net, sluice::stack<sluice::gru> const& other) {
#ifdef ACCEPT
    auto map = net.zero_parameters();
    map.at(0)["W_r"_s] = other.parameters().at(0)["W_r"_s];
#else
    net.parameters().at(0)["W_r"_s] = other.parameters().at(0)["W_r"_s];
#endif
}
