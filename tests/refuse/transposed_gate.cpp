// SPDX-License-Identifier: BSL-1.0
// The transpose of a vector.
// expect: sluice: transposed.. is given something other than a matrix
// expect: in_gate<boost::hana::string<'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(h * transposed(R<"h">)));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(transposed(h)));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
