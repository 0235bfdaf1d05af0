// SPDX-License-Identifier: BSL-1.0
// softmax() of one number for each row.
// expect: sluice: what is reduced or cut has no features, such as a number
// expect: in_gate<boost::hana::string<'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = h * softmax(h * sum(x)));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = h * softmax(sum(x)));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
