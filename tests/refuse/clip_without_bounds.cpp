// SPDX-License-Identifier: BSL-1.0
// clip() without bounds.
// expect: sluice: clip\(\) takes a value and two bounds
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = clip(x * W<"h">, -2_n, 1));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = clip(x * W<"h">));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
