// SPDX-License-Identifier: BSL-1.0
// where() without what is chosen else.
// expect: sluice: where\(\) takes a condition and two values, as in where\(h > x, h, x\)
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = where(h > x * W<"h">, h, 0_n));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = where(h > x * W<"h">, h));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
