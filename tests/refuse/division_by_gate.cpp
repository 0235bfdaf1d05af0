// SPDX-License-Identifier: BSL-1.0
// A gate is divided by another.
// expect: sluice: equations have no division; .*by a gate, write an activation of your own
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto f = gate<"f">;
constexpr auto i = gate<"i">;
#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(f = x * W<"f">, i = h * f, next(h) = f * i);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(f = x * W<"f">, i = h * f, next(h) = f / i);
};
#endif

constexpr auto text = sluice::print<my_cell>();
