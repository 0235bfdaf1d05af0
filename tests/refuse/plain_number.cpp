// SPDX-License-Identifier: BSL-1.0
// A plain number that is not 1.
// expect: sluice: the only plain number is 1; write others as 2_n
// expect: \w+\.cpp:\d+:\d+
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto two = 2_n;
#else
constexpr auto two = 2;
#endif
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = two * h + x * W<"h">);
};

constexpr auto text = sluice::print<my_cell>();
