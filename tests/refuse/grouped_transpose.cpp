// SPDX-License-Identifier: BSL-1.0
// Groups of a transpose.
// expect: sluice: grouped.. takes a matrix by its name, once, as in grouped
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(h * transposed(grouped(R<"h">))));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(h * grouped(transposed(R<"h">))));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
