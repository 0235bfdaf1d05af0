// SPDX-License-Identifier: BSL-1.0
// A layer that would need a second input, which no layer before it gives.
// cure: Let x be the only input of the page; one of several inputs is run as a cell.
// expect: sluice: a layer of a stack reads one input, but the equations of a page have none, or several
#include <sluice/xtensor.hpp>

using namespace sluice::equation;

struct my_cell {
#ifdef ACCEPT
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h">));
#else
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h"> + input<"context"> * W<"c">));
#endif
};

std::size_t layers(sluice::stack<my_cell> const& net) {
    return net.layers();
}
