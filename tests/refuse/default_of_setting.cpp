// SPDX-License-Identifier: BSL-1.0
// The default of a setting is no number.
// expect: sluice: the default of a setting is a number, such as 1_n or -0.5_n
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = setting<"dt">(-0.5_n) * h + x * W<"h">);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = setting<"dt">(h) * h + x * W<"h">);
};
#endif

constexpr auto text = sluice::print<my_cell>();
