// SPDX-License-Identifier: BSL-1.0
// A derivative with respect to weights.
// expect: sluice: derivative.. takes a loss, and a state, a gate or an input by its name
// errors: 1
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto by = h;
#else
constexpr auto by = R<"h">;
#endif
struct my_cell {
    static constexpr auto equations =
        sluice::lines(next(h) = h - 0.1_n * derivative(sum(square(h * R<"h"> - x * W<"h">)), by));
};

constexpr auto text = sluice::print<my_cell>();
