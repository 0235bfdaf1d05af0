// SPDX-License-Identifier: BSL-1.0
// One state, two places to start from.
// expect: a state starts in two places; keep one initial.state. = ...
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
        sluice::lines(initial(h) = vector<"h0">, initial(c) = bias<"c0">,
                      next(h) = tanh(x * W<"h"> + h * R<"h"> + state<"c">), next(state<"c">) = tanh(h));
};

constexpr auto text = sluice::print<my_cell>();
