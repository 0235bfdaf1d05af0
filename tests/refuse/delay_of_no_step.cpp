// SPDX-License-Identifier: BSL-1.0
// A delay that goes nowhere.
// cure: Ask for one step or more; without a delay, write x itself.
// expect: sluice: delay<3>\(x\) goes back by one step or more
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = h + delay<1>(x) * W<"h">);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = h + delay<0>(x) * W<"h">);
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
