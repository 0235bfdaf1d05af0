// SPDX-License-Identifier: BSL-1.0
// A function that is no word of the language, with the C library in sight.
// expect: sluice: cbrt is no word of equations; write a function of your own and apply<> it
#include <cmath>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto z = gate<"z">;
#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(z = x * W<"z">, next(h) = softplus(z));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(z = x * W<"z">, next(h) = cbrt(z));
};
#endif

constexpr auto text = sluice::print<my_cell>();
