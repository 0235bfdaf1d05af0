// SPDX-License-Identifier: BSL-1.0
// A matrix is multiplied with a matrix.
// expect: sluice: a matrix is multiplied with a matrix; multiply a vector with one after the other, as in .h . A. . B
// expect: in_gate<boost::hana::string<'h'> ?>
// errors: 1
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

struct my_cell {
    static constexpr auto equations = sluice::lines(
#ifdef ACCEPT
        next(h) = tanh(x * W<"h"> + (h * R<"h">)*fixed(matrix<"m">)));
#else
        next(h) = tanh(x * W<"h"> + R<"h"> * fixed(matrix<"m">)));
#endif
};

constexpr auto text = sluice::print<my_cell>();
