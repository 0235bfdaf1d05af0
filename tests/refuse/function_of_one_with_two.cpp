// SPDX-License-Identifier: BSL-1.0
// A function of one operand is given two.
// expect: sluice: a function needs a value of as many operands as it is given
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto cell = sluice::equations(next(h) = apply<sluice::activation::tanh>(x * W<"h">));
#else
constexpr auto cell = sluice::equations(next(h) = apply<sluice::activation::tanh>(h, x* W<"h">));
#endif
