// SPDX-License-Identifier: BSL-1.0
// A convolution without taps.
// cure: Ask for one step or more; a convolution of one step is a product, p<"c"> * x.
// expect: sluice: convolution<4>\(x\) is of one step or more
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = h + convolution<1>(x) * W<"h">);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = h + convolution<0>(x) * W<"h">);
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
