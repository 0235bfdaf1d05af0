// SPDX-License-Identifier: BSL-1.0
// A number that no double holds.
// expect: sluice: a number is larger than any double, about 1.8e308
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = 1e308_n * h + x * W<"h">);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = 1e309_n * h + x * W<"h">);
};
#endif

constexpr auto text = sluice::print<my_cell>();
