// SPDX-License-Identifier: BSL-1.0
// An epsilon without its suffix.
// expect: sluice: the only plain number is 1; write others as 2_n
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = l2_norm(h, 1e-5_n));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = l2_norm(h, 1e-5));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
