// SPDX-License-Identifier: BSL-1.0
// A gate is divided by a number.
// expect: sluice: equations have no division; by a number, multiply: 0.5_n
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto z = gate<"z">;
#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(z = x * W<"z">, next(h) = 0.5_n * z);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(z = x * W<"z">, next(h) = z / 2);
};
#endif

constexpr auto text = sluice::print<my_cell>();
