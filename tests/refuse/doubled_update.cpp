// SPDX-License-Identifier: BSL-1.0
// One state, two updates.
// expect: a state is updated twice; keep one next.state. = ...
// expect: in_gate<boost::hana::string<'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto c = state<"c">;
#else
constexpr auto c = h;
#endif
struct my_cell {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h">), next(c) = tanh(c));
};

constexpr auto text = sluice::print<my_cell>();
