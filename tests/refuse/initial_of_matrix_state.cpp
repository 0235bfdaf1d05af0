// SPDX-License-Identifier: BSL-1.0
// A line says where a matrix state starts.
// expect: a state that is a matrix starts with zeros
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto S = state<"S", units, 7>;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations =
        sluice::lines(initial(h) = vector<"h0">, next(S) = S, next(h) = tanh(h));
};
#else
struct my_cell {
    static constexpr auto equations =
        sluice::lines(initial(S) = vector<"s0">, next(S) = S, next(h) = tanh(h));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
