// SPDX-License-Identifier: BSL-1.0
// rotate() that does not say how many pairs there are.
// expect: sluice: rotate\(\) is told how many pairs there are
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = rotate<4>(h, x* W<"a">) * R<"h">);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = rotate(h, x* W<"a">) * R<"h">);
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
