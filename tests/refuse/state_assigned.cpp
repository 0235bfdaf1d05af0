// SPDX-License-Identifier: BSL-1.0
// A state is defined instead of its next value.
// expect: sluice: a state keeps its value within a step; what it is after the step is defined by next\(state\) = ...
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto cell = sluice::equations(next(h) = tanh(x * W<"h"> + h * R<"h">));
#else
constexpr auto cell = sluice::equations(h = tanh(x * W<"h"> + h * R<"h">));
#endif
