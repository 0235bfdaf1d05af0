// SPDX-License-Identifier: BSL-1.0
// A vector is added to a matrix value.
// expect: a vector meets a matrix value element by element
// expect: in_gate<boost::hana::string<'S'> ?>
// expect: about<boost::hana::string<'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto S = state<"S", units, 7>;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(S) = S + column(h), next(h) = S * (x * W<"v">));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(S) = S + h, next(h) = S * (x * W<"v">));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
