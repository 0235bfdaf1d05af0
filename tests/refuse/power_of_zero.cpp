// SPDX-License-Identifier: BSL-1.0
// The power of 0.
// expect: sluice: what has the power of 0 is 1; write 1
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = pow(h, 2_n) + x * W<"h">);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = pow(h, 0_n) + x * W<"h">);
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
