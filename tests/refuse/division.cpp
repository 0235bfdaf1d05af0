// SPDX-License-Identifier: BSL-1.0
// A gate is divided by a plain number.
// expect: sluice: the only plain number is 1; write others as 2_n
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto z = gate<"z">;
#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(z = x * W<"z">, next(h) = 1 / z + z / 2_n);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(z = x * W<"z">, next(h) = z / 2);
};
#endif

constexpr auto text = sluice::print<my_cell>();
