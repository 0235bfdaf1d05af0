// SPDX-License-Identifier: BSL-1.0
// A trained number where a state is due.
// expect: an equation does not depend on the input or a state
// expect: in_gate<boost::hana::string<'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = scalar<"a"> * h);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = scalar<"a">);
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
