// SPDX-License-Identifier: BSL-1.0
// A derivative with respect to nothing.
// expect: sluice: derivative.. takes a loss and what it is varied with
// errors: 1
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

struct my_cell {
#ifdef ACCEPT
    static constexpr auto equations = sluice::lines(next(h) = x * W<"h"> - derivative(sum(square(h)), h));
#else
    static constexpr auto equations = sluice::lines(next(h) = x * W<"h"> - derivative(sum(square(h))));
#endif
};

constexpr auto text = sluice::print<my_cell>();
