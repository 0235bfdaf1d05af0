// SPDX-License-Identifier: BSL-1.0
// Numbers of a matrix value, and a vector.
// expect: a vector meets a matrix value element by element; say how it stands in it
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto S = state<"S", units, 7>;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(S) = elements<"A", units, 7> * S, next(h) = tanh(h));
};
#else
struct my_cell {
    static constexpr auto equations =
        sluice::lines(next(S) = elements<"A", units, 7> * S, next(h) = tanh(elements<"A", units, 7> + h));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
