// SPDX-License-Identifier: BSL-1.0
// The input is defined.
// expect: sluice: the input is given to a step and cannot be defined
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto cell = sluice::equations(next(h) = tanh(x * W<"h">), output = h);
#else
constexpr auto cell = sluice::equations(next(h) = tanh(x * W<"h">), x = h);
#endif
