// SPDX-License-Identifier: BSL-1.0
// max() of a plain number that is not 1.
// expect: sluice: the only plain number is 1; write others as 2_n
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = max(1, 1) * h);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = max(1, 2) * h);
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
