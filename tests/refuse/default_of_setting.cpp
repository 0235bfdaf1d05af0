// SPDX-License-Identifier: BSL-1.0
// The default of a setting is no number.
// expect: sluice: the default of a setting is a number, such as 1_n or -0.5_n
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto cell = sluice::equations(next(h) = setting<"dt">(-0.5_n) * h + x * W<"h">);
#else
constexpr auto cell = sluice::equations(next(h) = setting<"dt">(h) * h + x * W<"h">);
#endif
