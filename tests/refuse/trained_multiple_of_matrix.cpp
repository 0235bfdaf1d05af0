// SPDX-License-Identifier: BSL-1.0
// A matrix times a scalar that is trained.
// expect: a matrix takes part in more than sums, differences and multiples by a number or a setting
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto cell = sluice::equations(next(h) = scalar<"s"> * (h * (setting<"a"> * R<"h">)));
#else
constexpr auto cell = sluice::equations(next(h) = h * (scalar<"s"> * R<"h">));
#endif
