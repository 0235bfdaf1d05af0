// SPDX-License-Identifier: BSL-1.0
// A start of a state that the equations do not have.
// expect: a state is read but never updated; add next.state. = ...
// expect: about<boost::hana::string<'c'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto c = h;
#else
constexpr auto c = state<"c">;
#endif
struct my_cell {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h">), initial(c) = vector<"c0">);
};

constexpr auto text = sluice::print<my_cell>();
