// SPDX-License-Identifier: BSL-1.0
// An input and a parameter of one name.
// expect: one name stands for two different things; give one of them another name
// expect: about<boost::hana::string<'c'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = h * vector<"d"> + input<"c", units>);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = h * vector<"c"> + input<"c", units>);
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
