// SPDX-License-Identifier: BSL-1.0
// No update at all.
// cure: Ask for one update or more.
// expect: sluice: repeat<2>\(S, update\) is of one update or more
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations =
        sluice::lines(next(h) = repeat<1>(h, [](auto z, auto) { return tanh(z * R<"h">); }));
};
#else
struct my_cell {
    static constexpr auto equations =
        sluice::lines(next(h) = repeat<0>(h, [](auto z, auto) { return tanh(z * R<"h">); }));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
