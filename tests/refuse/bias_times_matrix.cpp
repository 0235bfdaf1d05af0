// SPDX-License-Identifier: BSL-1.0
// A bias on the left of a matrix.
// expect: a bias stands in a product; add it, or use a vector p<> for a peephole
// expect: in_gate<boost::hana::string<'h'> ?>
// expect: about<boost::hana::string<'b', '_', 'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

struct my_cell {
    static constexpr auto equations = sluice::lines(
#ifdef ACCEPT
        next(h) = tanh(x * W<"h"> + (h + b<"h">)*R<"h">));
#else
        next(h) = tanh(x * W<"h"> + b<"h"> * R<"h">));
#endif
};

constexpr auto text = sluice::print<my_cell>();
