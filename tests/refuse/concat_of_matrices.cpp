// SPDX-License-Identifier: BSL-1.0
// Matrices side by side.
// expect: a matrix stands where a vector is due; write vector . matrix
// expect: in_gate<boost::hana::string<'h'> ?>
// expect: about<boost::hana::string<'W', '_', 'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(concat(x, h) * W<"h">));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * concat(W<"h">, R<"h">)));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
