// SPDX-License-Identifier: BSL-1.0
// C++ would read 8.
// expect: sluice: numbers in equations are decimal
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto cell = sluice::equations(next(h) = 10_n * h + x * W<"h">);
#else
constexpr auto cell = sluice::equations(next(h) = 010_n * h + x * W<"h">);
#endif
