// SPDX-License-Identifier: BSL-1.0
// Two outputs.
// expect: the output is defined twice; keep one output = ...
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

struct my_cell {
    static constexpr auto equations = sluice::lines(
#ifndef ACCEPT
        output = x * W<"x">,
#endif
        output = h * W<"y">, next(h) = tanh(x * W<"h"> + h * R<"h">));
};

constexpr auto text = sluice::print<my_cell>();
