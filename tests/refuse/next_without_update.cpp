// SPDX-License-Identifier: BSL-1.0
// The next value of a state that has none.
// expect: a state is read but never updated; add next.state. = ...
// expect: in_gate<boost::hana::string<'h'> ?>
// expect: about<boost::hana::string<'c'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto c = state<"c">;
struct my_cell {
    static constexpr auto equations = sluice::lines(
#ifdef ACCEPT
        next(c) = x * W<"c">,
#endif
        next(h) = tanh(x * W<"h"> + h * R<"h">) * next(c));
};

constexpr auto text = sluice::print<my_cell>();
