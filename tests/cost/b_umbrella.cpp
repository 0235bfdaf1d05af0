// SPDX-License-Identifier: BSL-1.0
#include <sluice/xtensor.hpp>

int main() {}
