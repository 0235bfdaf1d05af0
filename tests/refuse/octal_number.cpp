// SPDX-License-Identifier: BSL-1.0
// C++ would read 8.
// expect: sluice: numbers in equations are decimal
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = 10_n * h + x * W<"h">);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = 010_n * h + x * W<"h">);
};
#endif

constexpr auto text = sluice::print<my_cell>();
