// SPDX-License-Identifier: BSL-1.0
// The features of a matrix value are summed.
// expect: a matrix value stands where a vector is due
// expect: about<boost::hana::string<'S'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto S = state<"S", units, 7>;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(S) = S, next(h) = sum(S * (x * W<"v">)) * h);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(S) = S, next(h) = sum(S) * h);
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
