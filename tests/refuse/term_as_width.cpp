// SPDX-License-Identifier: BSL-1.0
// An input stands where a width is due.
// expect: sluice: a term stands where a width is due; widths are units, projection, groups, a number, and size<>
// errors: 1
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto m = state<"m", size<"input">>;
constexpr auto last = slice<size<"context">, 2>(concat(input<"context">, x));
#else
constexpr auto m = state<"m", input<"x">>;
constexpr auto last = slice<input<"context">, 2>(concat(input<"context">, x));
#endif
struct my_cell {
    static constexpr auto equations = sluice::lines(next(m) = m * x, next(h) = h * sum(last));
};

constexpr auto text = sluice::print<my_cell>();
