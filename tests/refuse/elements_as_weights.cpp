// SPDX-License-Identifier: BSL-1.0
// A product with weights of numbers of the parameters, as many as a matrix value has, which no row has.
// expect: what stands left of a matrix depends on neither the input nor a state
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
