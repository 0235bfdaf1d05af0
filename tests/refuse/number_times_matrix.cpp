// SPDX-License-Identifier: BSL-1.0
// A multiple of a matrix that multiplies nothing.
// expect: a matrix stands where a vector is due; write vector . matrix
// expect: in_gate<boost::hana::string<'h'> ?>
// expect: about<boost::hana::string<'R', '_', 'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = 0.5_n * (h * R<"h">)+x * W<"h">);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = 0.5_n * R<"h"> + x * W<"h">);
};
#endif

constexpr auto text = sluice::print<my_cell>();
