// SPDX-License-Identifier: BSL-1.0
// Two states, none of them h, and no output.
// expect: there is no output equation, and no only state and no state h in its place; add output = ...
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto a = state<"a">;
constexpr auto c = state<"c">;
struct my_cell {
    static constexpr auto equations = sluice::lines(
#ifdef ACCEPT
        output = a + c,
#endif
        next(a) = tanh(x * W<"a"> + c), next(c) = a);
};

constexpr auto text = sluice::print<my_cell>();
