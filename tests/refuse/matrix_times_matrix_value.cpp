// SPDX-License-Identifier: BSL-1.0
// A matrix stands left of a matrix value.
// expect: a matrix stands where a vector is due
// expect: about<boost::hana::string<'R', '_', 's'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto S = state<"S", units, units>;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(S) = S * R<"s">, next(h) = h * S);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(S) = R<"s"> * S, next(h) = h * S);
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
