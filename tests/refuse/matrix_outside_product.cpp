// SPDX-License-Identifier: BSL-1.0
// A matrix in a sum.
// expect: a matrix stands where a vector is due; write vector . matrix
// expect: in_gate<boost::hana::string<'h'> ?>
// expect: about<boost::hana::string<'W', '_', 'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

struct my_cell {
    static constexpr auto equations = sluice::lines(
#ifdef ACCEPT
        next(h) = tanh(x * W<"h"> + h));
#else
        next(h) = tanh(W<"h"> + h));
#endif
};

constexpr auto text = sluice::print<my_cell>();
