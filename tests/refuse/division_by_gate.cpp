// SPDX-License-Identifier: BSL-1.0
// A gate is divided by another.
// expect: sluice: equations have no division; .*by a gate, write an activation of your own
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto f = gate<"f">;
constexpr auto i = gate<"i">;
#ifdef ACCEPT
constexpr auto cell = sluice::equations(f = x * W<"f">, i = h * f, next(h) = f * i);
#else
constexpr auto cell = sluice::equations(f = x * W<"f">, i = h * f, next(h) = f / i);
#endif
