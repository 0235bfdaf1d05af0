// SPDX-License-Identifier: BSL-1.0
// A matrix value in heads is multiplied with one matrix for all of them.
// expect: are in different numbers of groups
// expect: in_gate<boost::hana::string<'S'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto S = state<"S", units, 6, 2>;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(S) = S * grouped<2>(R<"s">), next(h) = tanh(h));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(S) = S * R<"s">, next(h) = tanh(h));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
