// SPDX-License-Identifier: BSL-1.0
// A matrix times a scalar that is trained.
// expect: a matrix takes part in more than sums, differences and multiples by a number or a setting
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = scalar<"s"> * (h * (setting<"a"> * R<"h">)));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = h * (scalar<"s"> * R<"h">));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
