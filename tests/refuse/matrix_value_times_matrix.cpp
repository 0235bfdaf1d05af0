// SPDX-License-Identifier: BSL-1.0
// A matrix value stands left of a matrix.
// expect: a matrix value stands where a vector is due
// expect: in_gate<boost::hana::string<'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto S = state<"S", units, 7>;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(S) = S, next(h) = (S * (x * W<"v">)) * R<"h">);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(S) = S, next(h) = S * R<"h">);
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
