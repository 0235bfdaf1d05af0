// SPDX-License-Identifier: BSL-1.0
// A state that is read, but has no next value.
// expect: a state is read but never updated; add next.state. = ...
// expect: in_gate<boost::hana::string<'h'> ?>
// expect: about<boost::hana::string<'c'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto c = state<"c">;
struct my_cell {
    static constexpr auto equations = sluice::lines(
#ifdef ACCEPT
        next(c) = tanh(c + h),
#endif
        next(h) = tanh(x * W<"h"> + h * R<"h">) * c);
};

constexpr auto text = sluice::print<my_cell>();
