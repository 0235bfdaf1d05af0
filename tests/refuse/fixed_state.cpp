// SPDX-License-Identifier: BSL-1.0
// A state that is said to be fixed.
// expect: sluice: fixed.. takes a matrix, a vector, a bias or a scalar by its name, once
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h"> + fixed(bias<"c">)));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h"> + fixed(h)));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
