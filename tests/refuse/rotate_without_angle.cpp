// SPDX-License-Identifier: BSL-1.0
// rotate() without an angle.
// expect: sluice: rotate\(\) takes a value and an angle
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = rotate<4>(h, x* W<"a">) * R<"h">);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = rotate<4>(h) * R<"h">);
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
