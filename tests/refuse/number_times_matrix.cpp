// SPDX-License-Identifier: BSL-1.0
// A number stands left of a matrix.
// expect: sluice: what stands left of a matrix depends on neither the input nor a state
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
