// SPDX-License-Identifier: BSL-1.0
// The input is defined.
// expect: sluice: the input is given to a step and cannot be defined
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h">), output = h);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h">), x = h);
};
#endif

constexpr auto text = sluice::print<my_cell>();
