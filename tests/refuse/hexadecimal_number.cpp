// SPDX-License-Identifier: BSL-1.0
// Numbers are decimal.
// expect: sluice: numbers in equations are decimal, such as 16_n or 0.5_n
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = 16_n * h + x * W<"h">);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = 0x10_n * h + x * W<"h">);
};
#endif

constexpr auto text = sluice::print<my_cell>();
