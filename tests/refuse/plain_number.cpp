// SPDX-License-Identifier: BSL-1.0
// A plain number that is not 1.
// expect: sluice: of plain numbers only 1 is understood; write others with the suffix _n, as in 2_n
// expect: \w+\.cpp:\d+:\d+
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto two = 2_n;
#else
constexpr auto two = 2;
#endif
constexpr auto cell = sluice::equations(next(h) = two * h + x * W<"h">);
