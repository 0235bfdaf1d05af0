// SPDX-License-Identifier: BSL-1.0
// The length of a number of a row.
// expect: what is reduced or cut has no features
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = l2_norm(h) * sum(h));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = l2_norm(sum(h)) * h);
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
