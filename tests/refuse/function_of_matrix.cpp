// SPDX-License-Identifier: BSL-1.0
// A function of a matrix.
// expect: a matrix takes part in more than sums, differences and multiples
// expect: in_gate<boost::hana::string<'h'> ?>
// expect: about<boost::hana::string<'R', '_', 'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(h * R<"h">));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = h * tanh(R<"h">));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
