// SPDX-License-Identifier: BSL-1.0
// The product of a matrix value with a matrix has other columns than what it meets.
// expect: operands of different widths meet in a gate
// expect: width<.*5.*width<.*7|width<.*7.*width<.*5
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto S = state<"S", units, 7>;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(S) = S * R<"s", 5> * R<"o"> + S, next(h) = h);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(S) = S * R<"s", 5> + S, next(h) = h);
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
