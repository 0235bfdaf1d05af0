// SPDX-License-Identifier: BSL-1.0
// An earlier C++.
// flags: -std=c++17
// expect: sluice: C\+\+20 is needed, and this is an earlier one; add -std=c\+\+20
#include <sluice/xtensor.hpp>

int main() {}
