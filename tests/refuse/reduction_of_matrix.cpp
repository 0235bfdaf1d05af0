// SPDX-License-Identifier: BSL-1.0
// The sum of a matrix.
// expect: a matrix stands where a vector is due; write vector . matrix
// expect: in_gate<boost::hana::string<'h'> ?>
// expect: about<boost::hana::string<'R', '_', 'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = sum(h * R<"h">) * h);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = sum(R<"h">) * h);
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
