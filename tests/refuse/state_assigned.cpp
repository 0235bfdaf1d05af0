// SPDX-License-Identifier: BSL-1.0
// A state is defined instead of its next value.
// expect: sluice: a state keeps its value within a step; what it is after the step is defined by next\(state\) = ...
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h">));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(h = tanh(x * W<"h"> + h * R<"h">));
};
#endif

constexpr auto text = sluice::print<my_cell>();
