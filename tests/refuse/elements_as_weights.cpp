// SPDX-License-Identifier: BSL-1.0
// Numbers of a matrix value in a product with a matrix of weights.
// expect: a matrix value stands where a vector is due
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = (h * elements<"A", units, 7>)*R<"h">);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(
        next(h) = h * elements<"A", units, 7> * elements<"B", 7, units> + elements<"A", units, 7> * R<"h">);
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
