// SPDX-License-Identifier: BSL-1.0
// The new value of a state is wider than the state.
// expect: operands of different widths meet in a gate
// expect: in_gate<boost::hana::string<'c'> ?>
// expect: about<boost::hana::string<'c'> ?>
// expect: width<sluice::symbol::units, 0>
// expect: width<sluice::symbol::projection, 0>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto c = state<"c", projection>;
struct my_cell {
    static constexpr auto equations = sluice::lines(
#ifdef ACCEPT
        next(c) = h * W<"c">,
#else
        next(c) = h,
#endif
        next(h) = tanh(x * W<"h"> + c * R<"h">));
};

constexpr auto text = sluice::print<my_cell>();
