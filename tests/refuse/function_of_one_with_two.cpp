// SPDX-License-Identifier: BSL-1.0
// A function of one operand is given two.
// expect: sluice: a function needs a value of as many operands as it is given
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = apply<sluice::activation::tanh>(x * W<"h">));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = apply<sluice::activation::tanh>(h, x* W<"h">));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
